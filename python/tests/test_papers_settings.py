"""The settings that the papers state decide their experiments; departures are readings."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tworay.papers import claimlists, library
from tworay.papers.deciding import deciding
from tworay.papers.reproducing import Reproduction, document, plan_of, readings

if TYPE_CHECKING:
    from tworay.papers.library import Paper, Trial

OWN = [paper for paper in library.papers() if not paper.study]


RESOLVED: dict[str, list[str]] = {}
# Reading a scenario takes longer than making it.
parsed = cache(tomllib.loads)


def resolved(trial: Trial, changed: dict[str, Any] | None = None) -> list[str]:
    """Return the resolved scenario of each cell; once for all tests that ask for those of an experiment."""
    key = f"{trial.document['name']} {changed}"
    if key not in RESOLVED:
        cells = plan_of(trial, quick=True, seeds=1, changed=changed).cells()
        RESOLVED[key] = [cell.world.to_toml() for cell in cells]
    return RESOLVED[key]


def settings(trial: Trial) -> list[dict[str, Any]]:
    """Return the settings of each cell."""
    return [parsed(text) for text in resolved(trial)]


def differ(some: list[str], others: list[str]) -> bool:
    """Return whether scenarios have other settings, of which not all need be read for that."""
    pairs = zip(some, others, strict=False)
    return len(some) != len(others) or any(parsed(one) != parsed(other) for one, other in pairs)


@pytest.mark.parametrize("paper", OWN, ids=lambda paper: paper.name)
def test_each_experiment_names_what_decides(paper: Paper) -> None:
    for trial in paper.trials.values():
        assert trial.decides, trial.id
    text = "\n".join(deciding(Reproduction(paper, Path())))
    assert all(f"| {trial} |" in text for trial in paper.trials)


@pytest.mark.parametrize("paper", OWN, ids=lambda paper: paper.name)
def test_a_page_says_nothing_of_where_the_package_is(paper: Paper) -> None:
    # The path of a table of kernel costs would end up in pages that readers elsewhere get.
    for trial in paper.trials.values():
        assert str(library.HERE) not in claimlists.settings(trial), trial.id


@pytest.mark.parametrize("paper", OWN, ids=lambda paper: paper.name)
def test_routing_is_a_reading_of_each_experiment_on_radio(paper: Paper) -> None:
    for trial in paper.trials.values():
        if trial.document.get("facts") == "only" or not paper.claims_of({trial.id}):
            continue
        worlds = resolved(trial)
        if all("wire" in parsed(world) for world in worlds):
            continue
        axes = trial.document.get("axis", {})
        compared = any("routing." in key for axis in axes.values() for one in axis.values() for key in one)
        asked = [name for name in readings(trial) if name.startswith("routing: ")]
        assert compared or asked, f"{paper.name}:{trial.id}"
        for name in asked:
            assert differ(resolved(trial, readings(trial)[name]), worlds), (trial.id, name)


THESIS = library.find("thesis")
# Table A.1 to A.3, by protocol; chapter 3.2 and 3.6 have tables 3.1 to 3.3.
TRACED = ("route-break", "relays", "string", "string-rto", "mean-speeds")


@pytest.mark.parametrize("name", [name for name in THESIS.trials if name not in TRACED])
def test_the_thesis_runs_the_routing_of_its_tables(name: str) -> None:
    trial = THESIS.trials[name]
    if trial.document.get("facts") == "only":
        return
    for world in settings(trial):
        protocol = world["routing"]["protocol"]
        assert protocol in ("aodv", "dsr", "olsr")
        assert world["routing"][protocol]["dialect"] == "thesis"
        if name != "stretched":
            assert world["tcp"]["mss"] == "1460B"
            assert world["tcp"]["max_burst"] == 3


# §4.4.1: "the retransmission timer's maximum value was set to 240 seconds"; §4.4.2 and §4.5 refer to it.
LONG = {"dynamic", "five", "cwl", "sharing", "parallel", "pair", "window"}


@pytest.mark.parametrize("name", list(THESIS.trials))
def test_the_longest_timeout_is_that_of_the_section(name: str) -> None:
    wanted = "240s" if name.partition("-")[0] in LONG else "60s"
    if name == "cwl-short":  # The work with which the thesis compares.
        wanted = "2s"
    if THESIS.trials[name].document.get("set", {}).get("tcp.rto.max"):
        assert {str(world["tcp"]["rto"]["max"]) for world in settings(THESIS.trials[name])} == {wanted}


@pytest.mark.parametrize(
    "name", ["daa", "ack-coverage", *(f"rts-{n}" for n in range(1, 7)), "mesh-3", "mesh-6"]
)
def test_a_receiver_with_daa_counts_from_one(name: str) -> None:
    """§5.2.2: ack_count is initially set to one segment. §5.3.1: from there on, a timer of 10 ms."""
    for world in settings(THESIS.trials[name]):
        assert world["tcp"]["receiver"]["daa"]["count_from"] == 1
        if name not in ("daa", "ack-coverage"):
            assert world["tcp"]["receiver"]["heartbeat"] == "10ms"


def test_probing_counts_rates_as_printed() -> None:
    for trial in library.find("probing").trials.values():
        labels = trial.document["tcp"]
        if "probing" not in labels:
            continue
        axis = document(trial, quick=False)["axis"]["tcp"]
        assert list(axis) == labels
        assert axis["probing"]["tcp"] == "probing(predictor=per_second)"
        printed = [
            "per_second" in str(one["tcp"])
            for label, one in axis.items()
            if label != "newreno" and "predictor" not in label
        ]
        assert all(printed), trial.id


def test_a_reading_replaces_the_variant_that_decides() -> None:
    trial = library.find("probing").trials["6.1"]
    changed = readings(trial)["predictor: in segments, as Vegas counts"]
    axis = document(trial, quick=False, changed=changed)["axis"]["tcp"]
    assert axis["probing"]["tcp"] == "probing"
