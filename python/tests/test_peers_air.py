"""The chapters of ``make peers`` about today's radios: their closed forms, worlds and stored tables."""

from pathlib import Path
from typing import cast

import pytest

from studies.peers import tools, validation
from studies.peers.air import formulas, judging, queues
from studies.peers.air.chains import Chains
from studies.peers.air.hops import Hops
from studies.peers.air.stations import AS_THE_MODEL, Stations
from studies.peers.air.theirs import Here, Stored
from studies.peers.air.worlds import World
from studies.peers.jobs import Job, Result, Results
from studies.peers.plan import FULL, QUICK
from studies.peers.processes import ProgramError
from tworay.running.scenarios import load_text


@pytest.mark.parametrize(
    ("frame", "micros"),
    [
        # 12,310 bits with SERVICE and tail: 513 symbols of 24 bits, 57 of 216.
        (("a", 0, 20, 800, 1, 1536), 20 + 513 * 4),
        (("a", 7, 20, 800, 1, 1536), 20 + 57 * 4),
        # The signal extension.
        (("g", 7, 20, 800, 1, 1536), 26 + 57 * 4),
        # 134 bits are 6 symbols of 26: 24 us, or 21.6 us that occupy 24.
        (("n", 0, 20, 800, 1, 14), 36 + 24),
        (("n", 0, 20, 400, 1, 14), 36 + 24),
        # 10 symbols of 3.6 us are 36 us.
        (("n", 0, 20, 400, 1, 29), 36 + 36),
        # 474 symbols of 26, and VHT-SIG-B.
        (("ac", 0, 20, 800, 1, 1536), 40 + 474 * 4),
        # Two streams have two training fields.
        (("n", 15, 20, 800, 2, 1536), 40 + 24 * 4),
    ],
)
def test_frames_last_preamble_and_whole_symbols(
    frame: tuple[str, int, int, int, int, int], micros: int
) -> None:
    assert formulas.duration(*frame) == micros


def test_encoders_are_those_of_the_tables() -> None:
    # Tables 19-27 to 19-38 and 21-30 to 21-53.
    table = [("n", 7, 40, 1, 1), ("n", 15, 40, 2, 1), ("n", 21, 40, 3, 2), ("ac", 6, 80, 2, 1)]
    table += [("ac", 7, 80, 2, 2), ("ac", 8, 80, 3, 2), ("ac", 9, 80, 3, 3), ("ac", 9, 80, 4, 3)]
    for standard, mcs, width, streams, expected in table:
        assert formulas.encoders(standard, mcs, width, streams) == expected, (standard, mcs, width, streams)


def test_a_saturated_hop_by_hand() -> None:
    # 1,524 B take 248 us, DIFS 34, backoff 67.5, SIFS 16, ACK 28.
    assert formulas.Access(World("a", 7)).goodput == pytest.approx(11680 / 393.5)
    # 28 frames of 1,526 B: 42,894 B are 1,320 symbols of 260; AIFS 43, backoff 67.5, SIFS 16, BlockAck 32.
    found = formulas.Access(World("n", 7))
    assert (found.frames, found.ppdu) == (28, 36 + 1320 * 4)
    assert found.goodput == pytest.approx(28 * 11680 / 5474.5)


def test_bianchis_model_of_two_stations_by_hand() -> None:
    # With two stations p = tau, and the windows grow: tau = 2 / (17 + 16 tau (1 + 2 tau + ... + (2 tau)^5)).
    tau = 0.1
    for _ in range(100):
        tau = 2 / (17 + 16 * tau * sum((2 * tau) ** i for i in range(6)))
    success, idle = 2 * tau * (1 - tau), (1 - tau) ** 2
    time = idle * 9 + success * (228 + 44 + 43) + tau**2 * (228 + 43)
    model = formulas.Access(World("n", 7, aggregate=0)).bianchi(2)
    assert model == pytest.approx(success * 11680 / time, rel=1e-6)


def test_every_world_loads_and_both_simulators_get_it() -> None:
    theirs = Here()
    worlds = [
        world
        for plan in (QUICK, FULL)
        for world in (*Hops(plan, theirs)._worlds, *Chains(plan, theirs)._worlds)
    ]
    for world in worlds:
        loaded = load_text(world.scenario(), Path("world.toml"), {})
        assert loaded.nodes == world.hops + 1
    star = World("n", 7, stations=5)
    text = star.scenario(**AS_THE_MODEL)
    assert 'propagation = "range"' in text
    assert 'missing_block_ack = "repeat"' in text
    assert load_text(text, Path("star.toml"), {}).nodes == 6
    command = star.theirs(3).command
    assert {"--stations=5", "--mcs=7", "--rate=60", "--seed=3"} <= set(command)
    # Without QoS there is no such key.
    assert "lifetime" not in World("a", 7).scenario()


HEADER = (
    "standard,mcs,width,nss,gi,ampdu,rts,hops_or_stations,spacing,app,rc,queue,flows,seed,goodput_mbps,"
    "per_flow,events,options,cpu_s\n"
)


def test_stored_runs_are_found_by_their_world(tmp_path: Path) -> None:
    (tmp_path / "ns3_air.csv").write_text(
        f"{HEADER}"
        "n,7,20,1,800,65535,65535,1,5,udp,fixed,fifo,1,1,59.7,59.7,9,std=n mcs=7 app=udp,0.1\n"
        "n,7,20,1,800,65535,65535,1,5,udp,fixed,fifo,1,2,59.8,59.8,9,std=n mcs=7 app=udp,0.1\n"
        "a,2,20,1,800,65535,0,2,30,tcp,fixed,fifo,1,1,5.2,5.2,9,std=a mcs=2 app=tcp hops=2 rts=0 T=31,0.1\n"
        "n,7,20,1,800,0,65535,2,5,udp,fixed,fifo,2,1,30.0,15.0/15.0,9,std=n stations=2,0.1\n"
        "n,7,20,1,800,0,65535,2,5,udp,fixed,fifo,2,2,31.0,31.0/0.000,9,std=n stations=2,0.1\n"
    )
    stored, none = Stored(tmp_path), Results()
    assert stored.goodputs(none, World("n", 7, seconds=99), range(9)) == [59.7, 59.8]
    # A station that nobody could address leaves fewer speakers.
    assert stored.goodputs(none, World("n", 7, aggregate=0, stations=2), range(9)) == [30.0]
    assert stored.goodputs(none, World("n", 3), range(9)) == []
    # A string of another length is another one.
    assert stored.goodputs(none, World("a", 2, hops=2, rts=0, spacing=30, app="tcp", seconds=31), [1]) == [
        5.2
    ]
    assert stored.goodputs(none, World("a", 2, hops=2, rts=0, spacing=30, app="tcp", seconds=7), [1]) == []
    assert stored.jobs(World("n", 7), [1]) == []
    with pytest.raises(ProgramError, match=r"it has no ns3_air\.csv"):
        Stored(tmp_path / "elsewhere")


def test_hops_are_judged_by_medians(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "tworay_build", lambda: "b")

    def verdict(ours: float, theirs: float) -> str:
        chapter = Hops(QUICK, Here())

        def result(job: Job) -> Result:
            return {"flows": [{"goodput_bps": 1e6 * (ours if job.tool == "tworay" else theirs)}]}

        return chapter.section(cast("Results", {job: result(job) for job in chapter.jobs()})).verdict

    # Seven radios: no closed form gives 10 Mb/s; ns-3 has datagrams within 3 % and TCP within 5 %.
    assert verdict(10.0, 10.2) == "**off**: 14 of 21"
    assert verdict(10.0, 10.4) == "**off**: 7 of 21"
    assert verdict(10.0, 10.6) == "**off**: 0 of 21"


def test_stuck_runs_are_counted_apart_and_intervals_are_those_of_the_difference() -> None:
    assert judging.moving([50.0, 0.06, 49.0], 60.0) == ([50.0, 49.0], 1)
    assert judging.moving([0.06, 0.05], 60.0) == ([], 2)
    low, high = judging.difference([1.0, 2.0, 3.0] * 10, [1.0, 2.0, 3.0] * 10)
    assert low <= 0 <= high
    low, high = judging.difference([5.0, 6.0] * 15, [1.0, 2.0] * 15)
    assert 3 <= low <= high <= 5


def test_fairness_and_delay_over_the_flows() -> None:
    flows = [{"goodput_bps": share, "mean_delay_seconds": 0.01 * share} for share in (1.0, 2.0, 3.0)]
    # (1 + 2 + 3)^2 / (3 (1 + 4 + 9)); the mean of 10, 20 and 30 ms.
    assert queues.jain({"flows": flows}) == pytest.approx(36 / 42)
    assert queues.delay({"flows": flows}) == pytest.approx(20.0)


def test_air_selects_its_chapters() -> None:
    known = list(validation.chapters(QUICK, Here()))
    chosen = validation.chosen(known, ["air"])
    assert chosen[0] == "air-durations"
    assert chosen == [name for name in known if name.startswith("air-")]
    assert validation.chosen(known, ["ns3", "air-hops"]) == ["ns3", "air-hops"]
    with pytest.raises(ProgramError, match="--only airs: there is no such chapter"):
        validation.chosen(known, ["airs"])
    assert len(list(Stations(QUICK, Here()).jobs())) > 0
