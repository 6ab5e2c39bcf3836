"""Messages name options at the shell, and arguments in Python."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.arguments import in_python
from tworay.errors import InputError, with_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result


def test_options_are_arguments_where_python_has_some() -> None:
    assert in_python("--tcp a=reno: leave one out") == "tcp a=reno: leave one out"
    assert in_python("--max-seeds says where --until-ci gives up") == "max_seeds says where until_ci gives up"
    assert in_python("add --force, or --resume DIR") == "add force=True, or resume DIR"
    assert in_python("run it again with --record") == "run it again with record=True"
    assert in_python("--with OTHER: no run") == "against OTHER: no run"
    # Values are written as Python has them.
    for text, python in (
        ("add --until-ci 5%, or leave it out", "add until_ci=0.05, or leave it out"),
        ("--until-ci 12.5%: too wide", "until_ci=0.125: too wide"),
        ("--entries 2s draws them", 'entries="2s" draws them'),
        ("--max-seeds 3 is less (--seeds 5)", "max_seeds=3 is less (seeds=5)"),
        ("--shard 1/4 needs --out DIR", "shard 1/4 needs out DIR"),
        ("--seeds 1,2: leave one out", "seeds 1,2: leave one out"),
    ):
        assert in_python(text) == python
    # Commands, and options of commands only, stay.
    for text in ("`tworay compare --resume DIR` goes on", "--tls-ca FILE", "a--tcp", "no option"):
        assert in_python(text) == text


def test_python_and_the_shell_speak_their_own_language(
    cli: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as twice:
        tworay.compare("string-2", tcp="reno,reno")
    assert str(twice.value) == "tcp: `reno` is given twice; leave one out"
    assert "--tcp: `reno` is given twice" in cli("compare", "string-2", "--tcp", "reno,reno").err
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("x")
    with pytest.raises(InputError, match=r"^out there: the directory"):
        tworay.run("string-2", out="there")
    assert "--out there: the directory" in cli("run", "string-2", "--out", "there").err


def test_a_message_is_spelt_by_who_shows_it() -> None:
    """It has both spellings, wherever it was made: in a thread of a command, or in a worker."""
    with pytest.raises(InputError) as early:
        tworay.compare("string-2", tcp="reno,vegas", max_seeds=5)
    assert str(early.value) == "max_seeds says where until_ci gives up; add until_ci=0.05, or leave it out"
    text = "--max-seeds says where --until-ci gives up; add --until-ci 5%, or leave it out"
    assert with_options(early.value) == text
    carried = pickle.loads(pickle.dumps(early.value))
    assert (str(carried), with_options(carried)) == (str(early.value), text)
    # Within another message, too.
    with pytest.raises(InputError) as wrapped:
        tworay.Experiment({"scenario": "string-2", "seeds": "x"})
    assert "seeds" in with_options(wrapped.value)
    assert with_options(OSError("no --space")) == "no --space"


def test_conclusions_name_arguments_in_python(cli: Callable[..., Result]) -> None:
    """On wires nothing is random: both say how to make it so."""
    same = {"tcp": "reno,vegas", "seeds": 2, "set": {"duration": "3s"}}
    assert 'entries="2s" draws the flows' in " ".join(tworay.compare("dumbbell-2", **same).conclusion())
    words = ("--tcp", "reno,vegas", "--seeds", "2", "--set", "duration=3s")
    assert "--entries 2s draws the flows" in " ".join(cli("compare", "dumbbell-2", *words).out.split())
