"""The laboratory: sweeps over scenarios, settings, variants and seeds, and their evaluation."""
