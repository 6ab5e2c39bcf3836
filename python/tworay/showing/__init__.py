"""Show results: tables and verdicts as text, explanations, plots."""
