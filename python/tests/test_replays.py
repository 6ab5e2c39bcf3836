"""Replays of traced networks in studies, and the tables of costs beside a paper."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import tworay
from tworay.experiment.experimentfile import read
from tworay.experiment.sweeping import Sweep
from tworay.papers import library
from tworay.papers.replays import KEPT
from tworay.papers.reproducing import frame_of


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
