"""Notes that ``run`` and ``compare`` print besides results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.cli.output import note

if TYPE_CHECKING:
    import tworay
    from tworay.running.memory import Kept

# From this many nodes on, an estimate of memory and time is printed.
MANY_NODES = 5000


def say_what_it_takes(world: tworay.Scenario, seed: int, jobs: int = 1, kept: Kept | None = None) -> None:
    """Print an estimate of memory and time for a scenario with very many nodes."""
    if world.nodes < MANY_NODES:
        return
    memory, seconds = world.estimate(seed)
    if kept is not None:
        memory += kept.memory(world, seed)
    together = f"; {jobs} run at a time (--jobs)" if jobs > 1 else ""
    note(
        f"tworay: {world.nodes} nodes: a run needs roughly {memory / 1e6:.0f} MB of memory and "
        f"{seconds:.0f} s of processor time{together}"
    )


def say_if_idle(costs: dict[str, Any] | None) -> None:
    """Warn if a table of costs was given but nothing uses it."""
    if costs is None:
        note(
            "tworay: this scenario doesn't count energy, so --costs has no effect; "
            "add --set energy.model=states"
        )
