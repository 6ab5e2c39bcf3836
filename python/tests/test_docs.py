"""The documentation says what the program does: commands of its pages run, tables have columns."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from program import called

import tworay
from tworay.cli.optional_files import filled_in
from tworay.cli.whole import app
from tworay.experiment.experimentfile import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Result

    Cli = Callable[..., Result]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
TOUR = (ROOT / "docs/guide/tour.md").read_text()
SWEEPS = (ROOT / "docs/guide/sweeps.md").read_text()
TYPES: dict[str, pl.DataType | type[pl.DataType]] = {
    "integer": pl.Int64,
    "real": pl.Float64,
    "text": pl.String,
}

# A trace as ns-2 writes it, which only ns-2 can make: one packet from node 0 to node 1.
TRACE = """\
s 1.000000000 _0_ AGT  --- 0 cbr 512 [0 0 0 0] ------- [0:0 1:0 32 0] [0] 0 0
r 1.010000000 _1_ AGT  --- 0 cbr 532 [13a 1 0 800] ------- [0:0 1:0 32 1] [0] 1 0
"""


# A mesh as its owner measured it: the far ends reach each other over the mill only.
MESH = "from,to,loss\nroof,mill,10%\nmill,roof,12%\nmill,barn,5%\n"


def blocks(page: str, language: str) -> Iterator[str]:
    """Yield a page's fenced code blocks in a language."""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        if match[1] == language:
            yield match[2]


def lines(page: str) -> list[str]:
    """Return the commands of a page, without their comments."""
    found = [line.split("#")[0].strip() for block in blocks(page, "") for line in block.splitlines()]
    return [line for line in found if line]


def quick(words: list[str]) -> list[str]:
    """Make a run short: what is tested is that the line is right."""
    if words[:1] == ["costs"] and shutil.which("valgrind") is None:
        return [*words, "--shipped"]
    if words[0] not in ("run", "compare"):
        return words
    short = ["--set", "duration=40s" if "energy-field" in words else "duration=4s"]
    if "--seeds" in words:
        place = words.index("--seeds") + 1
        words = [*words[:place], "2", *words[place + 1 :]]
    # What is resumed stays as it was begun.
    return words if "--resume" in words else words + short


@pytest.mark.parametrize("page", [README, TOUR], ids=["README", "tour"])
def test_every_line_of_a_page_runs_in_order(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out.tr.gz").write_bytes(gzip.compress(TRACE.encode()))
    Path("mesh.csv").write_text(MESH)
    ran = []
    for line in lines(page):
        name, _, rest = line.partition(" ")
        if name == "make":
            assert re.search(rf"^{rest}:", (ROOT / "Makefile").read_text(), re.MULTILINE), line
            continue
        if name == "pip":
            # The check of the wheel runs it, as the page about installing says.
            assert line in lines((ROOT / "docs/guide/install.md").read_text())
            continue
        assert name == "tworay", f"what is this? {line}"
        words, _, target = rest.partition(" > ")
        # In this process, which has imported everything already.
        try:
            called(*filled_in(quick(shlex.split(words)), app))
        except Exception as error:
            raise AssertionError(line) from error
        printed = capsys.readouterr().out
        if target:
            Path(target).write_text(printed)
        ran.append(line)
    assert len(ran) > 8


def test_what_a_newcomer_reads_first_begins_with_the_installation() -> None:
    assert lines(README)[0].startswith("pip install")
    commands = re.findall(r"`([a-z][^`]* [^`]*)`", (ROOT / "docs/README.md").read_text())
    assert commands[0].startswith("pip install")


def test_the_pages_python_runs(tmp_path: Path) -> None:
    (code,) = blocks(TOUR, "python")
    (short,) = blocks(README, "python")
    assert {line for line in short.splitlines() if "=" in line} <= set(code.splitlines())
    code = code.replace('"3000B"', '"3000B", "duration": "5s"')
    code = re.sub(r"seeds=\d+", 'seeds=2, set={"duration": "5s"}', code)
    code += "\nprint(type(r.goodput_bps).__name__, c.table.height, c.pairs.height, c.runs.height)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cwnd.svg").is_file()
    kind, table, pairs, runs = done.stdout.splitlines()[-1].split()
    assert (kind, int(runs)) == ("float", 8)
    assert int(table) > 0 < int(pairs)


def test_the_sweeps_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    experiment, more_axes = blocks(SWEEPS, "toml")
    short = experiment.replace("seeds = 10", "seeds = 2").replace('"60s"', '"2s"')
    assert short != experiment
    Path("retry.toml").write_text(short)
    for line in lines(SWEEPS):
        assert line.startswith("tworay "), line
        called(*shlex.split(line)[1:])
    assert len(read(tomllib.loads(short + more_axes)).cells()) == 320
    polars, code = blocks(SWEEPS, "python")
    exec(compile(code + polars, "docs/guide/sweeps.md", "exec"), {})
    assert Path("retry.svg").is_file()


def test_options_of_the_readme_exist(cli: Cli) -> None:
    helps = "".join(
        cli(verb, "--help").out
        for verb in (
            "run",
            "compare",
            "show",
            "plot",
            "explain",
            "convert",
            "costs",
            "scenarios",
            "reproduce",
        )
    )
    for option in set(re.findall(r"--[a-z][a-z-]+", README + TOUR)) - {"--show", "--find-links"}:
        assert option in helps, option
    for option in ("--pcap", "--animate", "--out", "--json", "--until-ci", "--resources", "--costs"):
        assert option in TOUR, option


def documented() -> dict[str, dict[str, str]]:
    """Return the columns and types of each table in docs/reference/tables.md."""
    found: dict[str, dict[str, str]] = {}
    for part in (ROOT / "docs/reference/tables.md").read_text().split("\n## ")[1:]:
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| \S", part, re.MULTILINE)
        if rows:
            found[part.split("\n")[0]] = dict(rows)
    return found


def schema(frame: pl.DataFrame) -> dict[str, str]:
    names = {str(kind): name for name, kind in TYPES.items()}
    return {column: names[str(kind)] for column, kind in frame.schema.items()}


def test_every_column_of_every_table_is_documented(tmp_path: Path) -> None:
    powered = {"duration": "2s", "energy.model": "states"}
    tables = (
        tworay.run("string-1", set=powered, record=True).tables
        | tworay.run("dumbbell-1", set={"duration": "2s"}).tables
    )
    aggregating = {"duration": "2s", "radio.preset": "n20"}
    tables["rates"] = tworay.run("string-1", set=aggregating, record=True).tables["rates"]
    request = {"duration": "2s", "flow.0.app": "request"}
    tables["transfers"] = tworay.run("string-1", set=request).tables["transfers"]
    (tmp_path / "one.tr").write_text(TRACE)
    tables["trace"] = tworay.read_trace(tmp_path / "one.tr").packets
    assert {name: schema(frame) for name, frame in tables.items()} == documented()


@pytest.mark.parametrize("verb", ["run", "compare"])
def test_the_files_have_the_documented_columns(cli: Cli, tmp_path: Path, verb: str) -> None:
    tcp = ("--tcp", "reno", "--seeds", "1") if verb == "compare" else ()
    assert cli(verb, "string-1", "--set", "duration=2s", *tcp, "--out", "results").code == 0
    labels = ["variant", "seed"] if verb == "compare" else ["seed"]
    tables = documented()
    found = {file.stem: pl.read_parquet(file) for file in (tmp_path / "results").glob("*.parquet")}
    runs = found.pop("runs", pl.DataFrame())
    names = {"flows", "ledger", "guesses", "retransmissions", "series", "phases", "alive", "paths"}
    assert set(found) == names
    for name, frame in found.items():
        assert frame.columns == [*labels, *tables[name]], name
    assert (runs.columns[:2] == labels) == (verb == "compare")
