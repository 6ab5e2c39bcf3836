"""Varied lengths of a string: flows keep their ends, and a note says so with the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

WORLD = 'name = "s"\nduration = "2s"\n[topology]\nkind = "string"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\n'
REMEDY = '[[zip]] table of `tworay sweep`: "topology.hops" = [2, 4] and "flow.0.to" = [2, 4]'


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = tmp_path / "s.toml"
    file.write_text(WORLD)
    return file


def test_a_longer_string_with_a_fixed_flow_is_noted(world: Path) -> None:
    found = tworay.compare(world, tcp="reno", vary={"topology.hops": [2, 4]}, seeds=1)
    (note,) = [text for text in found.summary["warnings"] if "topology.hops" in text]
    assert "flow 0 goes from node 0 to 2 in every arm" in note
    assert note.endswith(REMEDY)


def test_a_shorter_string_names_the_remedy(world: Path) -> None:
    with pytest.raises(ScenarioError, match="there is no node 2") as refused:
        tworay.compare(world, tcp="reno", vary={"topology.hops": [1, 2]}, seeds=1)
    assert str(refused.value).endswith(REMEDY)


def test_nothing_is_noted_where_ends_vary_or_no_flow_spans_the_string(world: Path) -> None:
    # Both flows of both lengths: the user chose the ends.
    both = {"topology.hops": [2, 4], "flow.0.to": [1, 2]}
    for text, vary in ((WORLD, both), (WORLD.replace("to = 2", "to = 1"), {"topology.hops": [2, 4]})):
        world.write_text(text)
        found = tworay.compare(world, tcp="reno", vary=vary, seeds=1)
        assert not [text for text in found.summary["warnings"] if "topology.hops varies" in text]
