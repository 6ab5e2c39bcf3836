"""Compares a traced network with its replay: `tworay sedlane check`."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tworay.analysis import stats
from tworay.errors import InputError
from tworay.sedlane.access import HOP, NONE, TRACED, Access
from tworay.sedlane.fitting import MOST_CLASSES, fit
from tworay.sedlane.reading import of_run, read_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from tworay.sedlane.traces import Trace

# A replay is like its trace if each measure differs by less than this share of it, and loss rates by one
# point.
ALIKE, POINTS = 0.10, 0.01


class Measure(NamedTuple):
    """A measure of traces: its name, how it is printed, and whether it differs by shares or by points."""

    name: str
    title: str
    of: Callable[[Trace], float | None]
    scale: float = 1.0
    unit: str = ""
    in_points: bool = False


MEASURES = (
    Measure("goodput_bps", "goodput", lambda t: t.goodput, 1e-3, "kb/s"),
    Measure("rtt_median_seconds", "RTT, median", lambda t: float(np.percentile(t.rtt, 50)), 1e3, "ms"),
    Measure("rtt_p95_seconds", "RTT, 95th percentile", lambda t: float(np.percentile(t.rtt, 95)), 1e3, "ms"),
    Measure("loss", "data lost", lambda t: t.data.loss, 100, "%", True),
    Measure("loss_back", "ACKs lost", lambda t: t.acks.loss, 100, "%", True),
)


class Replay(NamedTuple):
    """The replay over one access link: each measure's values, one a seed."""

    name: str
    values: dict[str, list[float]]


class Check(NamedTuple):
    """A trace that the profile was not fitted to, and the replays."""

    fitted: Trace
    held_out: Trace
    tcp: str
    replays: list[Replay]

    def document(self) -> dict[str, Any]:
        """Return everything as a document."""
        return {
            "fitted": self.fitted.name,
            "held_out": self.held_out.name,
            "every_packet": self.fitted.is_complete,
            "tcp": self.tcp,
            "traced": {one.name: one.of(self.held_out) for one in MEASURES},
            "fitted_to": {one.name: one.of(self.fitted) for one in MEASURES},
            "replays": [
                {
                    "access": replay.name,
                    "measures": {
                        one.name: self.compared(replay, one) for one in MEASURES if replay.values[one.name]
                    },
                    "alike": self.alike(replay),
                }
                for replay in self.replays
            ],
        }

    def compared(self, replay: Replay, measure: Measure) -> dict[str, Any]:
        """Return a measure's mean with its 95 % interval, and the ratio or difference to the trace."""
        values, traced = replay.values[measure.name], measure.of(self.held_out)
        mean = stats.mean(values)
        assert mean is not None
        interval = stats.t_interval(values)
        ratio = None if not traced or measure.in_points else mean / traced
        difference = None if traced is None else mean - traced
        return {
            "mean": mean,
            "interval": None if interval is None else list(interval),
            "ratio": ratio,
            "difference": difference,
        }

    def alike(self, replay: Replay) -> dict[str, bool]:
        """Return for each measure that the trace has whether the replay is like it."""
        found = {}
        for one in MEASURES:
            traced = one.of(self.held_out)
            if traced is None or not replay.values[one.name]:
                continue
            difference = abs(self.compared(replay, one)["difference"])
            found[one.name] = difference <= (POINTS if one.in_points else ALIKE * traced)
        return found


def check(
    source: Path,
    held_out: Path | None = None,
    *,
    flow: int | None = None,
    classes: int = MOST_CLASSES,
    access: list[Access] | None = None,
    tcp: str | None = None,
    seeds: int = 5,
) -> Check:
    """Fit a profile to a trace, replay it by simulation, and measure both in the same way.

    A profile must not be judged by what it was fitted to: it is fitted to ``source`` and compared with
    ``held_out``, another trace of the same network. Without that it is fitted to the first half of
    ``source`` and compared with the second. ``access``: the access links to try. ``tcp``: the variant of
    the replay, by default the traced one.

    Raises:
        InputError: a trace cannot be read, or is too short to be divided.

    """
    whole = read_trace(source, flow)
    if held_out is None:
        fitted, other = whole.between(0.0, 0.5), whole.between(0.5, 1.0)
        if len(fitted.rtt) < 2 or len(other.rtt) < 2:
            raise InputError(f"{source}: too few acknowledged packets to hold back half; name another trace")
    else:
        fitted, other = whole, read_trace(held_out, flow)
    file = source / "scenario.toml"
    settings = settings_of(file.read_text(encoding="utf-8")) if file.is_file() else {}
    if held_out is not None and other.data.times is not None and len(other.data.times):
        settings["flow.0.start"] = f"{other.data.times[0]:.6f}s"
    return compare(fitted, other, settings, classes=classes, access=access, tcp=tcp, seeds=seeds)


def compare(
    fitted: Trace,
    other: Trace,
    settings: dict[str, str],
    *,
    classes: int = MOST_CLASSES,
    access: list[Access] | None = None,
    tcp: str | None = None,
    seeds: int = 5,
) -> Check:
    """Replay a profile of the trace ``fitted`` with these settings of TCP, and compare with ``other``."""
    if access is None:
        access = [Access(NONE), Access(HOP)] + ([Access(TRACED)] if fitted.rate is not None else [])
    variant = tcp or fitted.tcp or "newreno"
    settings = settings | {"duration": f"{other.duration:.6f}s"}
    replays = []
    for link in access:
        profile = fit(fitted, classes, link)
        measured = [_replay(profile.toml(), variant, settings, seed) for seed in range(1, seeds + 1)]
        values = {
            one.name: [value for value in map(one.of, measured) if value is not None] for one in MEASURES
        }
        rate = {TRACED: f" {profile.access.rate}", "rate": ""}.get(link.kind, "")
        replays.append(Replay(link.rate if link.kind == "rate" else link.kind + rate, values))
    return Check(fitted, other, variant, replays)


def _replay(text: str, tcp: str, settings: dict[str, str], seed: int) -> Trace:
    import tworay

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "profile.toml"
        file.write_text(text, encoding="utf-8")
        return of_run(tworay.run(file, tcp=tcp, seed=seed, set=settings, record=True))


def settings_of(text: str) -> dict[str, str]:
    """Return the settings of TCP in a traced scenario's text: the replay must have the same."""
    found: dict[str, str] = {}

    def collect(table: dict[str, Any], path: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                collect(value, f"{path}.{key}")
            elif isinstance(value, bool):
                found[f"{path}.{key}"] = str(value).lower()
            else:
                found[f"{path}.{key}"] = str(value)

    tcp = tomllib.loads(text).get("tcp", {})
    collect({key: value for key, value in tcp.items() if key != "variant"}, "tcp")
    return found
