"""Results for people: tables and verdicts as text, explanations, plots."""
