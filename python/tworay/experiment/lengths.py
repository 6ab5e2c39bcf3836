"""Hints for varied lengths of a string: its flows keep their ends, unless these vary with it."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tworay.running.scenarios import Scenario

HOPS = "topology.hops"
REMEDY = (
    f'give them together in a [[zip]] table of `tworay sweep`: "{HOPS}" = [2, 4] and "flow.0.to" = [2, 4]'
)


def fixed_ends(worlds: Iterable[Scenario], varied: Iterable[str]) -> list[str]:
    """Return a note if the hops vary, and a flow over the whole string in one arm is not in another."""
    if HOPS not in varied:
        return []
    documents = [tomllib.loads(world.to_toml()) for world in worlds]
    if any(one["topology"]["kind"] != "string" for one in documents):
        return []
    for number, flow in enumerate(documents[0].get("flow", [])):
        ends = {(one["flow"][number]["from"], one["flow"][number]["to"]) for one in documents}
        whole = {one["topology"]["hops"] in next(iter(ends)) for one in documents}
        if len(ends) == 1 and whole == {True, False}:
            return [
                f"{HOPS} varies, but flow {number} goes from node {flow['from']} to {flow['to']} in every "
                f"arm, so that a longer string adds nodes which it doesn't cross; {REMEDY}"
            ]
    return []


def with_remedy(problem: str, varied: Iterable[str]) -> str:
    """Return a scenario's error, with the remedy if a varied string lacks the end of a flow."""
    if HOPS not in varied or "there is no node" not in problem:
        return problem
    return f"{problem}\nWhere {HOPS} varies, ends of flows stay as they are; {REMEDY}"
