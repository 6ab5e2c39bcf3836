"""The machine on which tworay is installed: parts of tworay that work on it."""
