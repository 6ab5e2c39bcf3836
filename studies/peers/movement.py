"""Random waypoint movement files in ns-2's ``setdest`` form, the same for every simulator."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.peers.places import CACHE, ROOT, replace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MICROMETRE = 6  # decimals of positions and speeds


@dataclass(frozen=True)
class Waypoints:
    """Nodes that move to uniformly chosen positions at uniformly chosen speeds, without pause or warm-up."""

    seconds: int
    max_speed: float
    seed: int
    nodes: int = 50
    width: float = 1500.0
    height: float = 300.0
    min_speed: float = 1.0

    @property
    def path(self) -> Path:
        """Path of the file, relative to the checkout; ``write`` creates it."""
        name = f"rwp{self.nodes}-{self.max_speed:g}mps-{self.seconds}s-seed{self.seed}.mov"
        return CACHE / "movement" / name

    def write(self) -> Path:
        """Write the file if it does not exist or differs, and return its path."""
        text = "\n".join(self.lines()) + "\n"
        whole = ROOT / self.path
        if not whole.is_file() or whole.read_text() != text:
            replace(whole, text)
        return self.path

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file: the nodes' positions, then all moves in order of time."""
        source = random.Random(self.seed)
        moves: list[tuple[float, int, float, float, float]] = []
        for node in range(self.nodes):
            here = self._place(source, margin=0.0)
            for axis, value in zip("XYZ", (*here, 0.0), strict=True):
                yield f"$node_({node}) set {axis}_ {value:.6f}"
            now = 0.0
            while now < self.seconds:
                # setdest rejects targets on the border.
                there = self._place(source, margin=0.01)
                speed = round(source.uniform(self.min_speed, self.max_speed), MICROMETRE)
                moves.append((now, node, *there, speed))
                now += math.hypot(there[0] - here[0], there[1] - here[1]) / speed
                here = there
        for at, node, x, y, speed in sorted(moves):
            yield f'$ns_ at {at:.9f} "$node_({node}) setdest {x:.6f} {y:.6f} {speed:.6f}"'

    def _place(self, source: random.Random, margin: float) -> tuple[float, float]:
        x = source.uniform(margin, self.width - margin)
        y = source.uniform(margin, self.height - margin)
        return round(x, MICROMETRE), round(y, MICROMETRE)
