"""Words that begin with a minus and a digit are arguments: no option of tworay begins with a digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from program import called

from tworay.live import standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("move", "roof", "-50,80"), "move roof -50,80"),
        (("move", "roof", "-.5,-80", "--speed", "5"), "move roof -.5,-80 5"),
        (("move", "--speed", "5", "roof", "50,-80"), "move roof 50,-80 5"),
        (("move", "roof", "--", "-1,-2"), "move roof -1,-2"),
        # A script says why such a share is refused.
        (("loss", "roof", "-1"), "loss roof -1"),
    ],
)
def test_a_running_network_gets_negative_numbers(
    words: tuple[str, ...], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def steer(_: str | None, text: str) -> str:
        said.append(text)
        return text

    monkeypatch.setattr(standing, "steer", steer)
    called("live", *words)
    assert said == [line]


def test_the_help_shows_one(cli: Cli) -> None:
    assert "-50,80" in cli("live", "move", "-h").out


def test_unknown_options_and_words_too_many_are_still_told(cli: Cli) -> None:
    assert "No such option: -x" in cli("live", "move", "roof", "-x").err
    wrong = cli("live", "move", "roof", "1,2", "--sped", "5")
    assert "No such option: --sped. Did you mean --speed?" in wrong.err
    assert "`-5` is a word too many" in " ".join(cli("run", "string-2", "-5").err.split())
