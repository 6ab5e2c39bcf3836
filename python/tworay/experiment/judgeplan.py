"""The judged flows of a sweep: named by their ends, they are numbers once its scenarios are known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError, with_options
from tworay.metrics import Judge, judge_named
from tworay.naming import Nodes
from tworay.running.switching import flows_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from tworay.experiment.plan import Cell


def judge_of_cells(judge: Judge, cells: Collection[Cell], where: str) -> Judge:
    """Return the choice by number, and check it before anything runs.

    A flow that is switched off in some cells is judged in the others.
    """
    if not judge.ends and not judge.numbers:
        return judge
    try:
        if judge.ends:
            judge = _same(
                judge, ((Nodes(cell.world.names), flows_of(cell.world, cell.flows)) for cell in cells)
            )
        on = {number for cell in cells for number in cell.flows or range(cell.world.flows)}
        judge.check(len(on), max(on) + 1, on)
    except InputError as error:
        raise InputError(
            f"{where}: {with_options(error).removeprefix('--')}" if where else str(error)
        ) from None
    return judge


def judge_of_runs(judge: Judge, path: Path) -> Judge:
    """Return the choice by number, in the runs that a directory holds."""
    if not judge.ends:
        return judge
    from tworay.experiment.store.sweeps import batch_frame

    texts = batch_frame(path, ["document"]).unique("world", keep="any").sort("world")["document"]
    documents = [json.loads(text) for text in texts if text]
    if not documents:
        raise InputError(f"--judge {judge.name}: {path} has no finished run that names its nodes")
    return _same(judge, ((Nodes.of(one), one["flows"]) for one in documents))


def _same(judge: Judge, cells: Iterable[tuple[Nodes, list[dict[str, Any]]]]) -> Judge:
    """Return the numbers that the named flows have in every cell where they are."""
    found: list[Judge] = []
    wrong: InputError | None = None
    for nodes, flows in cells:
        try:
            found.append(judge_named(judge.name, nodes, flows))
        except InputError as error:
            wrong = wrong or error
    if not found:
        assert wrong is not None
        raise wrong
    if len(set(found)) > 1:
        names = " and ".join(sorted({one.name for one in found})[:3])
        raise InputError(
            f"--judge {judge.name}: it is {names} in different cells; judge one number, or sweep them apart"
        )
    return found[0]
