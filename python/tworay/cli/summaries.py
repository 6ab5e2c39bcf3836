"""The commands and groups of commands, in the order of ``tworay --help``, with their summaries.

``--help`` reads them here, so that it needs no command's file. A summary is the first sentence of the
command's docstring.
"""

from __future__ import annotations

COMMANDS = {
    "new": "Write a scenario from the answers to five questions.",
    "run": "Simulate a scenario once.",
    "compare": "Compare variants, settings or mixtures.",
    "show": "Print stored results again.",
    "explain": "Explain pauses and losses of a run.",
    "plot": "Draw stored results.",
    "report": "Write report.html for the browser.",
    "view": "Serve reports on localhost.",
    "sweep": "Run an experiment of many runs.",
    "table": "Tabulate a sweep.",
    "merge": "Join the shards of a sweep or a comparison.",
    "tune": "Search good parameters for a variant, and tell how flat the optimum is.",
    "reproduce": "Reproduce papers.",
    "scenarios": "List the built-in scenarios, or print one.",
    "variants": "List the TCP variants, or explain one.",
    "metrics": "List the metrics: name, unit, definition.",
    "schema": "Print the JSON Schema of the scenario file.",
    "convert": "Convert files of other tools.",
    "costs": "Measure what a variant computes.",
    "energy": "Measure what a command's computing draws: total - radio - idle.",
    "doctor": "Say what works on this machine, and what adds the rest.",
}
GROUPS = {
    "kernel": "Use the variants in this machine's kernel.",
    "live": "Run real programs over a simulated network.",
    "sedlane": "Replay a recorded network as classes of delay and loss.",
}
