"""A network that exists becomes a scenario: recorded tracks, and tables of measured links."""
