"""Confusion matrices, by hand."""

from __future__ import annotations

import pytest

from tworay.metrics import diagnosis

COUNTS = {
    "congestion": {"congestion": 6, "contention": 2, "none": 2},
    "channel": {"channel": 3, "contention": 4, "congestion": 2, "link-failure": 1},
    "link-failure": {"link-failure": 1, "node-down": 3},
}


def test_scores() -> None:
    found = diagnosis.scores(COUNTS)
    assert found["guesses"] == 24
    assert found["precision"] == pytest.approx({"congestion": 0.6, "channel": 0.7, "link-failure": 1.0})
    recall = {"congestion": 6 / 8, "contention": 4 / 6, "channel": 1, "link-failure": 0.5, "node-down": 1}
    assert found["recall"] == pytest.approx(recall)
    assert found["balanced_accuracy"] == pytest.approx(sum(recall.values()) / 5)
    assert found["needless"] == pytest.approx(2 / 24)


def test_nothing_guessed() -> None:
    found = diagnosis.scores({})
    assert (found["guesses"], found["balanced_accuracy"], found["needless"]) == (0, None, None)


def test_only_needless_guesses_have_no_accuracy() -> None:
    found = diagnosis.scores({"congestion": {"none": 3}})
    assert found["precision"] == {"congestion": 0.0}
    assert (found["balanced_accuracy"], found["needless"]) == (None, 1.0)


@pytest.mark.parametrize(
    ("guess", "cause", "right"),
    [
        ("transient", "link-failure", True),
        ("transient", "congestion", False),
        ("channel", "contention", True),
        ("ttl", "ttl", True),
        ("congestion", "none", False),
    ],
)
def test_what_a_guess_covers(guess: str, cause: str, right: bool) -> None:
    assert diagnosis.covers(guess, cause) is right
