"""Commands that make results again, for the pages that show them."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay.experiment.store.records import SCENARIO
from tworay.live.options import Options

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.running.run import Run

# The directory that the commands write.
AGAIN = "AGAIN"
# Where a live run's programs stood, if the results don't know them: up to version 0.1.0, and for `live up`.
UNKNOWN = "COMMAND"
# Options of `tworay live run` by their settings in the summary, with the option's unit in the setting's.
LIVE = {
    "layer": ("layer", 1.0),
    "slow": ("slow", 1.0),
    "most_late_seconds": ("most_late", 1e3),
    "limit_seconds": ("limit", 1.0),
    "mtu": ("mtu", 1.0),
}


class Again(NamedTuple):
    """The command that makes a run again."""

    command: str
    live: bool = False

    @property
    def remark(self) -> str:
        """The page's sentence beside the command; empty for a simulation, which gives the same bytes."""
        if not self.live:
            return ""
        known = " Its programs were not stored: write yours for COMMAND." if UNKNOWN in self.command else ""
        return (
            "It needs root. Real kernels keep their own time, so the numbers will be similar, not equal."
            + known
        )


def again(run: Run, directory: Path, *settings: str) -> Again:
    """Return the command that makes a run again, called where its directory is.

    The complete scenario in the directory is enough: whatever was set is in it.
    """
    scenario = f"{directory.resolve().name}/{SCENARIO}"
    live = run.summary.get("live")
    if live is not None:
        return Again(_join(_live_words(scenario, run.seed, live)), live=True)
    words = ["tworay", "run", scenario, "--seed", str(run.seed), *settings]
    if "segments" in run.tables:
        words.append("--record")
    return Again(_join([*words, "--out", AGAIN]))


def _join(words: list[str]) -> str:
    return shlex.join(words)


def _live_words(scenario: str, seed: int, live: dict[str, Any]) -> list[str]:
    """Return the words of ``tworay live run``; options at their defaults are left out."""
    words = ["tworay", "live", "run", scenario, "--seed", str(seed)]
    settings = live["settings"]
    defaults = {field.name: field.default for field in fields(Options)}
    for key, (option, unit) in LIVE.items():
        value = settings.get(key)
        if value is not None and value != defaults[option]:
            words += [f"--{option.replace('_', '-')}", f"{value * unit:g}"]
    if settings.get("nodes"):
        words += ["--nodes", ",".join(map(str, settings["nodes"]))]
    if settings.get("congestion"):
        words += ["--congestion", settings["congestion"]]
    if settings.get("freeze"):
        words.append("--freeze")
    programs = live.get("programs") or {"command": [UNKNOWN], "serve": None, "each": None}
    for name in ("serve", "each"):
        if programs[name] is not None:
            words += [f"--{name}", programs[name]]
    words += ["--out", AGAIN]
    return [*words, "--", *programs["command"]] if programs["command"] else words
