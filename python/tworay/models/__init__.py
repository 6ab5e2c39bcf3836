"""Closed forms of protocols' performance, to hold simulations against."""
