"""The list of the papers' mechanisms: complete entries, commands whose names exist, and the counts of it."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay._native import Scenario
from tworay.errors import InputError, ScenarioError
from tworay.metrics.of_runs import find
from tworay.papers import library, overview
from tworay.papers.mechanisms import Mechanism, Standing, of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

PAPERS = [paper for paper in library.papers() if not paper.study]
# Commands without names of variants, scenarios and figures; the tests of the docs check their options.
PLAIN = {"metrics", "costs", "energy", "kernel", "sedlane", "show", "explain", "plot"}


def values(words: list[str], option: str) -> list[str]:
    """Return what follows each occurrence of an option."""
    return [words[at + 1] for at, word in enumerate(words) if word == option]


def listed(text: str) -> list[str]:
    """Split at commas outside parentheses."""
    return re.split(r",(?![^(]*\))", text)


def resolve(command: str) -> None:
    """Find everything that a command names: variants, scenarios, settings, metrics, figures and claims.

    Raises:
        InputError: something does not exist.
        ScenarioError: a scenario or variant does not.

    """
    first, _, rest = command.partition(" && ")
    if rest:  # A run, and what shows a part of it.
        resolve(first)
        resolve(rest)
        return
    program, verb, *words = shlex.split(command)
    if program in ("make", "grep") or verb in PLAIN:
        return
    if verb == "reproduce":
        paper, _, name = words[0].partition(":")
        found = library.find(paper)
        assert found.claim(name) or found.headline(name) or found.numbered(name)
        return
    if verb == "variants":
        (name,) = values(words, "--show")
        if name not in {one.name for one in tworay.variants()}:
            raise InputError(name)
        return
    for text in values(words, "--metrics"):
        for metric in text.split(","):
            if find(metric) is None:
                raise InputError(metric)
    settings = values(words, "--set")
    if verb == "scenarios":
        (name,) = values(words, "--show")
        assert Scenario.load(name)
        return
    assert verb in ("run", "compare", "tune")
    variants = [one for text in values(words, "--tcp") for one in listed(text)]
    variants += [one.partition(":")[0] for text in values(words, "--mix") for one in listed(text)]
    if verb == "tune":
        variants.append(words.pop(0))
    varied = [text.partition("=") for text in values(words, "--vary")]
    changes = [f"{key}={value}" for key, _, text in varied for value in listed(text)]
    for change in [[], *([one] for one in changes)]:
        scenario = Scenario.load(words[0], settings + change)
        for variant in variants:
            assert scenario.with_variant(variant)


COMMANDS = [one.show for paper in PAPERS for one in of(paper) if one.show]


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_everything_that_a_command_names_exists(command: str) -> None:
    resolve(command)


@pytest.mark.parametrize(
    "command",
    [
        "tworay variants --show wellcome",
        "tworay run congestion --tcp 'welcome(cwnd=4)'",
        "tworay run congestion --set tcp.reciever.acks=daa",
        "tworay compare string-4 --tcp 'newreno,sca(x)'",
        "tworay compare string-4 --tcp reno --vary mac.rts=full,half",
        "tworay compare string-4 --mix reno:0.5,cwnd:0.5",
        "tworay compare string-4 --tcp reno --metrics timeouts,goodputs",
        "tworay tune reno+scaa string-4",
        "tworay scenarios --show dumbell-10",
        "tworay reproduce thesis:9.9",
        "tworay reproduce welcom:14",
    ],
)
def test_wrong_names_are_found(command: str) -> None:
    with pytest.raises((InputError, ScenarioError)):
        resolve(command)


# Settings of the thesis' tables.
IDLE = (
    "AODV-UU: several HELLOs before",
    "DSR: flow state",
    "DSR-UU: flush of the link cache",
    "OLSR: a refresh interval of 2 s",
    "OLSR: MID and HNA messages",
    "OLSR: signal monitoring, delay generation",
    "ECN (off in the thesis)",
)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_each_paper_has_mechanisms_each_once(paper: library.Paper) -> None:
    said = [one.says for one in of(paper)]
    assert said
    assert len(said) == len(set(said))
    for one in of(paper):
        assert re.match(r"§|figure|table|abstract|appendix", one.source), one.says
        # What a paper describes itself is built, at least in part, or is a setting that does nothing there.
        idle = one.says.startswith(IDLE) and one.source.startswith(("table", "§3.4, tables"))
        assert one.state is not Standing.NOT or one.cited or idle, one.says


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"says": "x", "source": "§1"}, "command is needed"),
        ({"says": "x", "source": "§1", "state": "in part", "show": "tworay metrics"}, "note says"),
        (
            {"says": "x", "source": "§1", "state": "not built", "show": "tworay metrics", "note": "y"},
            "command",
        ),
        ({"says": "x", "source": "§1", "state": "nearly", "show": "tworay metrics"}, "nearly"),
    ],
)
def test_incomplete_entries_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entry: dict[str, str], said: str
) -> None:
    paper = PAPERS[0]
    (tmp_path / paper.key).mkdir()
    lines = "\n".join(f'{key} = "{value}"' for key, value in entry.items())
    (tmp_path / paper.key / "mechanisms.toml").write_text(f"[[mechanism]]\n{lines}\n")
    monkeypatch.setattr("tworay.papers.mechanisms.HERE", tmp_path)
    with pytest.raises(ValueError, match=said):
        of(paper)


def test_the_command_lists_them(cli: Callable[..., Result]) -> None:
    done = cli("reproduce", "--mechanisms", "--json")
    assert len(done.document["mechanisms"]) == sum(len(of(paper)) for paper in PAPERS)
    text = cli("reproduce", "energy", "--mechanisms").out
    # A command stands on one line, to be copied.
    assert [one.show for one in of(library.find("energy")) if f"        {one.show}\n" not in text] == []
    refused = cli("reproduce", "energy:2", "--mechanisms")
    assert refused.code != 0
    assert "leave `:2` out" in refused.err


def test_the_front_page_counts_mechanisms_and_figures(tmp_path: Path) -> None:
    overview.write_both([], PAPERS, tmp_path)
    text = (tmp_path / overview.OVERVIEW).read_text()
    part = text[text.index(overview.WHOLE) :]
    rows = {
        line.split("]")[0].strip("| [").split(" ")[0]: [int(cell) for cell in line.split(" | ")[1:-1] if cell]
        for line in part.splitlines()
        if line.startswith(("| [", "| all"))
    }
    assert set(rows) == {*(paper.name for paper in PAPERS), "all"}
    for paper in PAPERS:
        mechanisms, *states, figures, defined, deviating = rows[paper.name]
        assert mechanisms == len(of(paper)) == sum(states)
        assert figures == sum(
            (figure.experiment is not None and not figure.own) or bool(figure.missing)
            for figure in paper.figures
        )
        assert defined + deviating <= figures
    assert rows["all"] == [sum(column) for column in zip(*(rows[p.name] for p in PAPERS), strict=True)]


def test_a_mechanism_says_whether_it_is_only_cited() -> None:
    assert Mechanism("x", "§1", "tworay metrics").said == "built"
    assert Mechanism("x", "§1", cited=True, state=Standing.NOT, note="y").said == "not built, cited"
