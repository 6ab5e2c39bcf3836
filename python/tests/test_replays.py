"""Replays of traced networks in studies, and the tables of costs beside a paper."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

import tworay
from tworay.experiment.experimentfile import read
from tworay.experiment.sweeping import Sweep
from tworay.papers import library
from tworay.papers.derived import called
from tworay.papers.library import Figure
from tworay.papers.replays import KEPT
from tworay.papers.reproducing import frame_of
from tworay.papers.tables import numbers


def test_a_network_that_is_a_pipe_is_replayed_as_it_was(tmp_path: Path) -> None:
    """Two segments over fast wires never queue: only delay decides, and the pipes have the same delay."""
    document = {
        "scenario": "dumbbell-1",
        "tcp": ["newreno"],
        "seeds": 1,
        "set": {"duration": "10s", "tcp.window": 2, "tcp.mss": "512B", "wire_kind.sink.rate": "100Mbps"},
    }
    where = tmp_path / "out"
    Sweep(read(document, derived=True), where).run(jobs=1)
    trial = library.Trial("e", document, {}, {}, "replayed", "", 2)
    row = frame_of(where, trial).row(0, named=True)
    assert row["replay.goodput.none"] == pytest.approx(1.0, abs=0.02)
    assert row["replay.alike.none"] == 5
    # The second time the results are read.
    file = where / KEPT
    file.write_text(file.read_text().replace(str(row["replay.goodput.none"]), "0.25"))
    assert frame_of(where, trial)["replay.goodput.none"].to_list() == [0.25]


def test_the_computing_energy_of_welcomes_figures_is_the_kernels() -> None:
    paper = library.find("welcome")
    for figure, situation in {"14": "congestion", "18": "congestion", "24": "signal-loss"}.items():
        trial = paper.trials[str(paper.figure(figure).experiment)]
        file = Path(trial.document["set"]["energy.costs"])
        assert file.name == f"kernel-costs-{situation}.csv"
        assert "Whole ACKs and timeouts in the kernel's TCP" in file.read_text()
    settings = trial.document["set"] | {"duration": "10s"}
    energy = tworay.run("signal-loss", tcp="newreno", seed=1, set=settings).summary["energy"]
    assert energy["costs"]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    # An ACK takes microseconds at 2.5 W; in instructions of a nanojoule it took a tenth.
    settings = {key: value for key, value in settings.items() if key != "energy.costs"}
    counted = tworay.run("signal-loss", tcp="newreno", seed=1, set=settings)
    assert energy["joules_computation"] > 3 * counted.summary["energy"]["joules_computation"]


def test_shares_of_channel_losses_by_what_they_were_called(tmp_path: Path) -> None:
    """Of three true channel losses two were called channel; what was no channel loss doesn't count."""
    diagnoses = [
        {
            "channel": {"channel": 2, "congestion": 5},
            "congestion": {"channel": 1},
            "link-failure": {"none": 4},
        },
        {"congestion": {"congestion": 3}},
    ]
    frame = pl.DataFrame({"document": [json.dumps({"diagnosis": one}) for one in diagnoses]})
    found = called(frame, tmp_path)
    assert found["called.channel"].to_list() == [pytest.approx(2 / 3), None]
    assert found["called.congestion"].to_list() == [pytest.approx(1 / 3), None]
    assert found["called.link-failure"].to_list() == [0.0, None]


def test_a_cell_without_a_value_keeps_its_column() -> None:
    """Nothing was measured of `b` in the second row; `c` must not move into its place."""
    runs = {"cell": [0, 0, 1, 1], "place": ["x", "x", "y", "y"], "seed": [1, 2, 1, 2]}
    frame = pl.DataFrame(runs | {"b": [1.0, 1.0, None, None], "c": [2.0, 2.0, 3.0, 3.0]})
    figure = Figure("t", "", "e", rows="place", columns=("b", "c"))
    _, rows = numbers(figure, frame, ["place"]) or ([], [])
    assert [[row[0], row[1][0], row[2][0]] for row in rows] == [["x", "1", "2"], ["y", "–", "3"]]
