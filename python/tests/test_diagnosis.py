"""Confusion matrices, by hand."""

from __future__ import annotations

import pytest

from tworay.metrics import diagnosis
from tworay.metrics.diagnosis import scores
from tworay.showing.guessing import scored, share_right
from tworay.showing.rendering import guesses, show
from tworay.showing.text import Group

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


def test_the_terminal_says_what_is_averaged_in_the_words_of_the_page(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """9 of 17 are right. Channel: 6 of 8 losses named. Congestion: 3 of 4. The mean of both: 75 %."""
    counts = {
        "channel": {"channel": 6, "congestion": 1, "none": 5},
        "congestion": {"congestion": 3, "channel": 2, "none": 0},
    }
    said = (
        "9 of 17 guesses right (53 %). Recall, the share of the guesses about losses by a cause that "
        "name it: channel 75 %, congestion 75 %. Balanced accuracy, the mean of these recalls: 75 %. "
        "5 guesses were made when nothing was lost: wrong, but in no recall."
    )
    assert f"{share_right(counts)}. {scored(counts, scores(counts))}" == said
    show(Group(*guesses({"guess": counts}, {"guess": "guess"})))
    assert said in " ".join(capsys.readouterr().out.split())
    show(Group(*guesses({"a": counts, "b": {}}, {"a": "welcome", "b": "newreno"})))
    shown = " ".join(capsys.readouterr().out.split())
    assert f"welcome: {said}" in shown
    assert "newreno" not in shown
