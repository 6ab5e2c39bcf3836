"""The thesis' mechanisms are shown beside their absence: every comparison in the list makes a difference."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tworay.papers import library
from tworay.papers.mechanisms import of

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

LISTED = of(library.find("thesis"))
PARTS = sorted({part for one in LISTED for part in one.show.split(" && ")})
COMPARED = [part for part in PARTS if part.startswith("tworay compare")]
# Of the seeds of a command; a mechanism changes each run.
SEEDS = 2


def test_every_row_says_what_to_look_at() -> None:
    assert [one.says for one in LISTED if not one.note] == []


@pytest.mark.parametrize("command", COMPARED)
def test_a_comparison_shows_a_difference(cli: Callable[..., Result], command: str) -> None:
    words = shlex.split(command)[1:]
    at = words.index("--seeds") + 1
    words[at] = str(min(SEEDS, int(words[at])))
    done = cli(*words, "--jobs", "1", "--json")
    assert done.code == 0, done.err
    arms = done.document["variants"].values()
    metrics = words[words.index("--metrics") + 1].split(",")
    means = {metric: {arm.get(metric, {}).get("mean") for arm in arms} for metric in metrics}
    assert any(len(of_arms) > 1 for of_arms in means.values()), means
