"""The metrics of a run: name, unit, definition and direction.

They are declared in the simulator (``crates/tworay-sim/src/results``), where the document is made, and
queried here. Documents, comparisons, tables, ``--metrics`` and docs/reference/metrics.md follow this
list. A name that ends in ``.*`` denotes a family: ``mac.sent.*`` stands for ``mac.sent.rts``,
``mac.sent.cts`` and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tworay import _native


class Better(Enum):
    """Which direction is better; ``NEITHER`` if that depends on the question."""

    MORE = "more"
    LESS = "less"
    NEITHER = "–"


class Of(Enum):
    """Definition of the value of a run."""

    SUM = "sum over the flows"
    MEAN = "mean over the flows that have one"
    RUN = "one value a run"


@dataclass(frozen=True)
class Metric:
    """One metric, or a family of them."""

    name: str
    unit: str
    definition: str
    source: str
    of: Of
    better: Better
    group: str
    # In tables: heading with the unit shown there, factor from the metric's own unit, format.
    heading: str
    scale: float
    form: str

    @property
    def title(self) -> str:
        """Heading in tables: its own, or the name."""
        return self.heading or self.name.rpartition(".")[2]

    def holds(self, name: str) -> bool:
        """Tell whether ``name`` is this metric, or a member of this family."""
        return name.startswith(self.name[:-1]) if self.name.endswith(".*") else name == self.name


_OF = {"sum": Of.SUM, "mean": Of.MEAN, "run": Of.RUN}
_BETTER = {"more": Better.MORE, "less": Better.LESS, "": Better.NEITHER}


def _declared() -> list[Metric]:
    found = []
    for name, family, group, unit, of, better, definition, source, heading, scale, form in _native.metrics():
        full = f"{name}.*" if family else name
        shown = (heading, scale, form)
        found.append(Metric(full, unit, definition, source or "–", _OF[of], _BETTER[better], group, *shown))
    return found


METRICS = tuple(_declared())
# By chapter of the page; the simulator lists them in its order.
GROUPS: dict[str, tuple[Metric, ...]] = {
    chapter: tuple(metric for metric in METRICS if metric.group == chapter)
    for chapter in dict.fromkeys(metric.group for metric in METRICS)
}
