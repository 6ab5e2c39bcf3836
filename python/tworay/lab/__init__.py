"""The laboratory: sweeps over scenarios, settings, variants and seeds, and what is made of them."""
