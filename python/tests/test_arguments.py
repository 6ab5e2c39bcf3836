"""Messages name options at the shell, and arguments in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.arguments import in_python
from tworay.errors import InputError

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
