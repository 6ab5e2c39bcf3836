"""Result directories of earlier formats: shown and explained in today's keys; not mixed with new runs.

``data/format-2.tar.xz`` holds what tworay wrote before ``dialect`` and ``wire``, without ``report.html``: a
comparison (``string-2``, 5 s, ``compat=ns2``, ``--vary routing.aodv.preset=ns2,rfc3561``), a run
(``dumbbell-1``, 2 s) and a sweep of two runs.

``data/format-3.tar.xz`` holds what tworay wrote before comparisons stored runs as sweeps do: a comparison
(``string-2``, 3 s, reno and vegas, two seeds, ``--resources``), the same without ``--resources`` after three
of its runs, and a sweep of two runs.
"""

from __future__ import annotations

import json
import tarfile
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tworay
from tworay._native import RESULTS
from tworay.cli.whole import app
from tworay.errors import InputError
from tworay.experiment.store.formats import FORMAT, scenario_of_today, settings_of_today
from tworay.experiment.store.reading import run_of

DATA = Path(__file__).parent / "data"
ARMS = ["reno routing.aodv.preset=ns2", "reno routing.aodv.preset=rfc3561"]


@pytest.fixture(autouse=True)
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Unpack the directories of earlier formats and go to those of format 2."""
    with tarfile.open(DATA / "format-2.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    with tarfile.open(DATA / "format-3.tar.xz") as archive:
        archive.extractall(tmp_path / "3", filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cli(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.output


def test_a_directory_says_its_format_and_the_number_of_its_results() -> None:
    tworay.compare("string-1", tcp="reno", seeds=1, set={"duration": "2s"}, out="new")
    manifest = json.loads(Path("new/tworay.json").read_text())
    assert (manifest["format"], manifest["results"]) == (FORMAT, RESULTS)


def test_the_previous_format_is_shown_and_its_numbers_are_what_they_were() -> None:
    text = cli("show", "compared")
    assert "rfc3561" in text
    known = json.loads(Path("compared/summary.json").read_text())["variants"][ARMS[0]]["goodput_bps"]["mean"]
    comparison = tworay.results("compared")
    assert isinstance(comparison, tworay.Comparison)
    assert comparison.summary["variants"][ARMS[0]]["goodput_bps"]["mean"] == known > 0
    assert "goodput" in cli("show", "ran").lower()


def test_its_runs_know_their_scenario_in_the_keys_of_today() -> None:
    wired = run_of("ran").to_keep()["scenario.toml"]
    ends = [(wire["from"], wire["to"]) for wire in tomllib.loads(wired)["wire"]]
    assert ends == [(2, 3), (0, 2), (3, 1)]
    for arm, dialect in zip(ARMS, ("ns2", "standard"), strict=True):
        kept = tomllib.loads(run_of("compared", arm, 1).to_keep()["scenario.toml"])
        assert (kept["dialect"], kept["routing"]["aodv"]["dialect"]) == ("ns2", dialect)
        assert kept["energy"]["preset"] == "ns2", "the name of a card's powers stays"


def test_its_pages_and_explanations_are_made_anew() -> None:
    for place in ("ran", "compared"):
        cli("report", place)
        assert (Path(place) / "report.html").stat().st_size > 50_000
    assert cli("explain", "compared", "--arm", ARMS[0], "--seed", "1")


def test_new_runs_are_not_mixed_into_it() -> None:
    with pytest.raises(InputError, match=r"results changed last.*`tworay show compared` still shows it"):
        tworay.compare(resume="compared", seeds=2)
    assert json.loads(Path("compared/tworay.json").read_text())["format"] == 2


def test_a_sweep_of_before_is_shown_and_its_runs_are_done_again() -> None:
    assert "reno" in cli("table", "swept", "--rows", "tcp", "--metric", "goodput_bps")
    text = Path("swept/experiment.toml").read_text().replace("compat", "dialect")
    Path("old.toml").write_text(text)
    said = CliRunner().invoke(app, ["sweep", "old.toml", "--out", "swept"])
    assert said.exit_code == 0, said.output
    assert "before the simulator's results changed last" in " ".join(said.output.split())
    assert "2 new" in said.output
    assert "before" not in CliRunner().invoke(app, ["sweep", "old.toml", "--out", "swept"]).output


def test_every_old_spelling_becomes_the_new_one() -> None:
    old = (
        'compat = "none"\n[energy]\npreset = "ns2"\n[routing.dsr]\npreset = "thesis"\n[routing.olsr]\n'
        'preset = "rfc3626"\n[[link]]\nfrom = 0\n[link.red]\ngentle = true\n'
        '[mac]\nlink_delay = "0s"\n[[radio.link]]\n'
    )
    new = (
        'dialect = "standard"\n[energy]\npreset = "ns2"\n[routing.dsr]\ndialect = "thesis"\n[routing.olsr]\n'
        'dialect = "standard"\n[[wire]]\nfrom = 0\n[wire.red]\ngentle = true\n'
        '[mac]\nlink_delay = "0s"\n[[radio.link]]\n'
    )
    assert scenario_of_today(old, 2) == new
    assert scenario_of_today(old, FORMAT) == old
    settings = {"link.2.rate": "1Mbps", "link_kind.sink.rate": "2Mbps", "radio.link": [], "compat": "ns2"}
    assert list(settings_of_today(settings, 2)) == [
        "wire.2.rate",
        "wire_kind.sink.rate",
        "radio.link",
        "dialect",
    ]


# Format 3: runs in ``runs.jsonl``, or in folders of ``runs/`` until they were merged


@pytest.fixture
def three(before: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to the directories of format 3."""
    monkeypatch.chdir(before / "3")
    return before / "3"


def digests(place: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in place.rglob("*") if file.is_file()}


def test_runs_in_lines_and_in_folders_are_shown_explained_and_drawn(three: Path) -> None:
    before = digests(three)
    known = json.loads(Path("compared/summary.json").read_text())["variants"]
    found = tworay.results("compared")
    assert isinstance(found, tworay.Comparison)
    assert found.summary["variants"] == known
    assert found.summary["variants"]["reno"]["metrics.eee"]["n"] == 2, "with the capacity of each seed"
    part = tworay.results("interrupted")
    assert isinstance(part, tworay.Comparison)
    assert len(part) == 3
    one = run_of("interrupted", "reno", 2)
    assert one.flows.height == 1
    assert one.summary == run_of("compared", "reno", 2).summary
    assert one.series.equals(run_of("compared", "reno", 2).series)
    for place in ("compared", "interrupted"):
        assert cli("explain", place, "--arm", "reno", "--seed", "1")
        cli("plot", place, "cwnd", "-o", f"{place}.svg")
    assert {file: before[file] for file in before} == {file: digests(three)[file] for file in before}


@pytest.mark.parametrize("place", ["compared", "interrupted"])
def test_merge_converts_what_resume_refuses(place: str, three: Path) -> None:
    with pytest.raises(InputError, match=rf"`tworay merge {place} --out DIR` converts|results changed last"):
        tworay.compare(resume=place)
    old = json.loads(Path(place, "tworay.json").read_text())
    cli("merge", place, "--out", "new")
    new = json.loads(Path("new/tworay.json").read_text())
    assert (new["format"], new["results"], new["tworay"]) == (FORMAT, old["results"], old["tworay"])
    here, there = tworay.results("new"), tworay.results(place)
    assert here.summary == there.summary
    for arm, seed in (("reno", 1), ("vegas", 1), ("reno", 2)):
        tables, known = run_of("new", arm, seed).tables, run_of(place, arm, seed).tables
        assert set(tables) == set(known) >= {"flows", "ledger", "series"}
        assert all(tables[name].equals(known[name]) for name in known)
    if old["results"] == RESULTS:
        assert len(tworay.compare(resume="new")) == 4
        assert len(tworay.compare(resume="new", seeds=3)) == 6


def test_a_damaged_line_is_named_and_the_others_are_taken_over(three: Path) -> None:
    file = Path("compared/runs.jsonl")
    lines = file.read_text().splitlines()
    lines[1] = lines[1].replace('"timeouts": ', '"timeouts": 1')
    for number, text in ((1, lines[1]), (1, '"reno"'), (1, '{"variant": "reno", "seed": 1, "facts": NaN}')):
        lines[number] = text
        file.write_text("\n".join(lines) + "\n")
        shown = tworay.results("compared")
        assert isinstance(shown, tworay.Comparison)
        assert any("runs.jsonl:2 can't be read" in one for one in shown.warnings)
        assert len(shown) == 3
    cli("merge", "compared", "--out", "new")
    assert len(tworay.results("new")) == 3  # type: ignore[arg-type]


def test_a_sweep_of_format_3_goes_on(three: Path) -> None:
    assert "reno" in cli("table", "swept", "--rows", "tcp", "--metric", "goodput_bps")
    new = 2 if json.loads(Path("swept/tworay.json").read_text())["results"] == RESULTS else 4
    said = cli("sweep", "swept/experiment.toml", "--out", "swept", "--seeds", "2")
    assert f"({new} new" in said
    assert json.loads(Path("swept/tworay.json").read_text())["format"] == FORMAT
