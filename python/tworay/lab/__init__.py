"""Sweeps over scenarios, settings, variants and seeds, and their statistics."""
