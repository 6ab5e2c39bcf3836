"""Existing networks as scenarios: recorded tracks, and tables of measured links."""
