"""Draws scenarios with up to three disturbances, and checks the causes of their losses from outside."""
