"""Closed-form models of protocol performance, for comparison with simulations."""
