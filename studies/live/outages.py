"""A broken path under the kernel's WELCOME, repaired within the retransmission timeout and after it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import tworay
from tworay import kernel
from tworay.running.scenarios import load_text

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIANT, KERNEL = "welcome", "tworay_welcome"
SECONDS, SEEDS = 45.0, 5
# The relay of the built-in scenario goes off at 20 s.
BREAK = 20.0
# Acknowledgments that had passed the relay arrive within this time, seconds.
ON_THEIR_WAY = 0.1
# The guess about a loss of the outage follows the first new acknowledgment within this time, seconds.
LATE = 1.0
# The events added to the built-in scenario: in the second case the longer way is missing, too, until 24 s.
CASES = {
    "within": "",
    "after": """
[[event]]
node = 2
at = "2s"
what = "down"

[[event]]
node = 2
at = "24s"
what = "up"
""",
}


def scenario(case: str, tcp: str = "newreno") -> tworay.Scenario:
    """Return the scenario of a case; ``tcp`` is a simulated variant."""
    text = tworay.load("link-failure", set={"duration": f"{SECONDS}s"}).to_toml() + CASES[case]
    return load_text(text, Path(case), {"flow.0.tcp": tcp})


@contextlib.contextmanager
def controller() -> Iterator[None]:
    """Keep the kernel's WELCOME loaded."""
    loaded = any(one.variant == VARIANT and one.state == "loaded" for one in kernel.controllers()[0])
    if not loaded:
        kernel.load(VARIANT)
    try:
        yield
    finally:
        if not loaded:
            kernel.unload(VARIANT)


def digest(run: tworay.Run) -> dict[str, Any]:
    """Return when new data was acknowledged after the break, and guesses beside true causes until then."""
    flow = max(run.summary["flows"], key=lambda one: one["sent_segments"])
    series = run.tables["series"].filter(pl.col("flow") == flow["id"])
    before = series.filter(pl.col("t_s") <= BREAK + ON_THEIR_WAY)["acked_bytes"].max()
    resumed = series.filter(pl.col("acked_bytes") > before)["t_s"].min()
    end = SECONDS if resumed is None else float(str(resumed)) + LATE
    guesses = run.tables["guesses"].filter(
        (pl.col("flow") == flow["id"]) & pl.col("t_s").is_between(BREAK, end)
    )
    counted = guesses.group_by("guess", "cause_by_outcome").len().sort("guess", "cause_by_outcome")
    return {
        "resumed_seconds": None if resumed is None else float(str(resumed)) - BREAK,
        "guesses": [list(row) for row in counted.iter_rows()],
        "timeouts": flow["timeouts"],
        "goodput_bps": flow["goodput_bps"],
    }
