"""Standard input, output and error in every state that a shell or a scheduler leaves them in."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import polars as pl
import pytest
from conftest import QUICK, Result, command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Cli = Callable[..., Result]

COMPARE = ("compare", "string-1", "--tcp", "reno,sack", "--seeds", "2", *QUICK)
ANSWER = "tworay: cannot write to standard output: "


def shell(line: str, cwd: Path, **environment: str) -> Result:
    """Run a line of shell in which ``tworay`` is the command."""
    script = f'tworay() {{ {" ".join(command())} "$@"; }}; {line}'
    return Result(
        subprocess.run(
            ["bash", "-c", script],
            cwd=cwd,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            check=False,
        )
    )


def test_nothing_to_do_shows_the_help(cli: Cli) -> None:
    result = cli()
    assert (result.code, result.out) == (2, "")
    assert result.err == cli("--help").out


@pytest.mark.parametrize("verb", [(), ("run",), ("convert",)])
def test_help_has_a_short_name(cli: Cli, verb: tuple[str, ...]) -> None:
    result = cli(*verb, "-h")
    assert (result.code, result.out) == (0, cli(*verb, "--help").out)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "koi8-r"])
def test_an_encoding_without_our_signs_costs_no_result(tmp_path: Path, encoding: str) -> None:
    result = shell(f"tworay {' '.join(COMPARE)}", tmp_path, PYTHONIOENCODING=encoding)
    assert result.code == 0, result.err
    assert "goodput" in result.out
    assert "?" not in result.out
    assert "Traceback" not in result.err


def test_ascii_has_words_for_our_signs(tmp_path: Path) -> None:
    run = f"tworay run string-1 {' '.join(QUICK)} --set energy.model=states"
    plain = shell(run, tmp_path, PYTHONIOENCODING="ascii").out
    usual = shell(run, tmp_path, PYTHONIOENCODING="utf-8").out
    assert "0→1" in usual
    assert "µJ per bit" in usual
    assert plain.isascii()
    assert "0>1" in plain
    assert "uJ per bit" in plain


def test_closed_stdout_is_a_failure_that_says_so(tmp_path: Path) -> None:
    for line in ("tworay --version >&-", f"tworay run string-1 --json {' '.join(QUICK)} >&-"):
        result = shell(line, tmp_path)
        assert (result.code, result.err) == (1, f"{ANSWER}it is closed\n")


def test_full_stdout_is_a_failure_also_for_short_output(tmp_path: Path) -> None:
    result = shell("tworay --version >/dev/full", tmp_path)
    assert (result.code, result.err) == (1, f"{ANSWER}No space left on device\n")


def test_a_reader_that_has_enough_hears_no_complaint(tmp_path: Path) -> None:
    result = shell("tworay schema | head -n 1", tmp_path)
    assert (result.out, result.err) == ("{\n", "")


def test_closed_stderr_stops_neither_work_nor_files(tmp_path: Path) -> None:
    result = shell(f"tworay {' '.join(COMPARE)} --json --out kept 2>&-", tmp_path)
    assert (result.code, result.err) == (0, "")
    assert json.loads((tmp_path / "kept" / "summary.json").read_text()) == result.document
    assert pl.read_parquet(tmp_path / "kept" / "flows.parquet").height == 4


def test_results_are_written_even_if_they_cannot_be_printed(tmp_path: Path) -> None:
    result = shell(f"tworay run string-1 {' '.join(QUICK)} --out kept <&- >&-", tmp_path)
    assert result.code == 1
    assert "results are in kept" in result.err
    assert ANSWER in result.err
    assert pl.read_parquet(tmp_path / "kept" / "flows.parquet").height == 1


# "-"


def test_a_scenario_comes_from_stdin(tmp_path: Path) -> None:
    run = shell(f"tworay scenarios --show string-1 | tworay run - --json {' '.join(QUICK)}", tmp_path)
    direct = shell(f"tworay run string-1 --json {' '.join(QUICK)}", tmp_path)
    assert run.document["flows"] == direct.document["flows"]
    wrong = shell("echo 'duraton = \"5s\"' | tworay run -", tmp_path)
    assert wrong.code == 2
    assert "<stdin>:1:1" in wrong.err


def test_a_scenario_a_table_and_a_capture_go_to_stdout(tmp_path: Path) -> None:
    moves = shell(
        "tworay convert string-1 -o walk.mov; tworay convert walk.mov --flow 0:1:ftp -o -", tmp_path
    )
    assert 'file = "walk.mov"' in moves.out
    capture = shell(
        f"tworay run string-1 --pcap - {' '.join(QUICK)} | (head -c 4 | od -An -tx1; cat > /dev/null)",
        tmp_path,
    )
    assert capture.out.split() == ["0a", "0d", "0d", "0a"]
    assert "goodput" in capture.err
    costs = shell("tworay costs --shipped --tcp newreno --out - | tail -n 1", tmp_path)
    assert "newreno" in costs.out


def test_moves_come_from_stdin_but_a_scenario_needs_a_file(tmp_path: Path) -> None:
    both = shell("tworay convert string-1 -o a.mov; tworay convert - -o b.mov < a.mov", tmp_path)
    assert both.code == 0, both.err
    assert (tmp_path / "a.mov").read_text() == (tmp_path / "b.mov").read_text()
    refused = shell("tworay convert - --flow 0:1:ftp -o walk.toml < a.mov", tmp_path)
    assert refused.code == 2
    assert "save it first" in refused.err
