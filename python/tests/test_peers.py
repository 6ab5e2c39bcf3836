import dataclasses
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

import tworay
from studies.peers import (
    kernel_tcp,
    mactrace,
    more_windows,
    moving,
    olsr_tables,
    pages,
    senders,
    simulators,
    suite,
    tools,
    validation,
    windows,
)
from studies.peers.bench import bench
from studies.peers.jobs import Job, Result, Results, read_json
from studies.peers.kernel_replay import Sent
from studies.peers.movement import Waypoints
from studies.peers.places import NS2_DRIVER, NS3_AIR, NS3_DRIVER, NS3_WIRED, ROOT, SCENARIOS
from studies.peers.plan import FULL, QUICK, Plan
from studies.peers.processes import ProgramError
from studies.peers.simulators import builtin, route_changes
from studies.peers.verdicts import (
    Judging,
    Sample,
    Section,
    deviation,
    percent,
    rank_correlation,
    within,
    within_share_or_spread,
)


def test_movement_files_are_the_same_on_every_machine() -> None:
    # From a file that ns-2 and ns-3 were run on: nodes 0 and 1, and the first move.
    lines = list(Waypoints(seconds=900, max_speed=5, seed=101).lines())
    assert lines[:3] == [
        "$node_(0) set X_ 871.728199",
        "$node_(0) set Y_ 58.426349",
        "$node_(0) set Z_ 0.000000",
    ]
    assert lines[3] == "$node_(1) set X_ 133.295355"
    moves = [line for line in lines if line.startswith("$ns_ at")]
    times = [float(line.split()[2]) for line in moves]
    assert times == sorted(times)
    assert sum(time == 0 for time in times) == 50


def test_mac_trace_counts_by_reason_and_kind_from_a_time_on(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_text(
        "D 399.900000000 _1_ MAC  COL 0 RTS 44 [1b36 1 0 0] \n"
        "D 401.041603000 _1_ MAC  COL 0 RTS 44 [1b36 1 0 0] \n"
        "D 401.142011000 _1_ MAC  COL 0 CTS 38 [1b36 1 0 0] \n"
        "D 402.042011000 _1_ MAC  COL 0 ACK 38 [1b36 1 0 0] \n"
        "D 402.142011000 _2_ MAC  COL 12 tcp 1558 [13a 2 1 800] ------- [0:0 4:0 32 2] [8 0] 1 0 \n"
        "s 402.242011000 _2_ MAC  --- 13 tcp 1558 [13a 2 1 800] ------- [0:0 4:0 32 2] [8 0] 1 0 \n"
        "D 403.000000000 _3_ MAC  RET 0 RTS 44 [1b36 1 0 0] \n"
        "D 403.000000000 _3_ MAC  RET 14 ack 98 [13a 2 1 800] ------- [4:0 0:0 32 2] [8 0] 1 0 \n"
        "D 403.000000000 _3_ RTR  CBK 14 ack 40 [13a 2 1 800] ------- [4:0 0:0 32 2] [8 0] 1 0 \n"
    )
    assert mactrace.count(trace, 400) == {
        "collisions": {"rts_cts": 2, "data": 1, "ack": 0},
        "drops": {"rts_cts": 1, "data": 0, "ack": 1},
    }


def test_the_wired_trace_and_our_numbers_name_the_same_packets() -> None:
    lines = [
        "+ 1 0 2 tcp 40 ------- 1 0.0 3.0 0 0 0 40 0 0\n",
        "+ 1.00004 2 3 tcp 40 ------- 1 0.0 3.0 0 0 0 40 0 0\n",
        "- 1.20296 2 3 tcp 1040 ------- 1 0.0 3.0 2 3 0 40 0 0\n",
        "d 1.65792 2 3 tcp 1040 ------- 1 0.0 3.0 14 30 0 40 0 0\n",
        "+ 1.10044 3 2 ack 40 ------- 1 3.0 0.0 0 1 0 40 0 0\n",
    ]
    assert suite.read_trace(lines) == {
        "data": [("+", 1.00004, 0), ("-", 1.20296, 2), ("d", 1.65792, 14)],
        "acks": [("+", 1.10044, 0)],
    }
    # The SYN takes number 0 of the sequence space, payloads start at 1.
    assert [suite.packet_number("data", n) for n in (0, 1, 1001, 13001)] == [0, 1, 2, 14]
    assert [suite.packet_number("ack", n) for n in (1, 1001, 13001)] == [0, 1, 13]


def points(*numbers: int, shift: float = 0.0) -> dict[str, list[suite.Point]]:
    return {"data": [("+", i + shift, n) for i, n in enumerate(numbers)], "acks": []}


@pytest.mark.parametrize(
    ("ours", "ok", "says"),
    [
        (points(1, 2, 3), True, ""),
        (points(1, 2, 3, shift=0.00009), True, ""),
        (points(1, 2, 3, shift=0.0002), False, ""),
        (points(1, 3, 2), False, "`+ 1.00000 2` / `+ 1.00000 3`"),
        (points(1, 2), False, "only ns-2: `+ 2.00000 3`"),
        (points(1, 2, 3, 4), False, "only tworay: `+ 3.00000 4`"),
    ],
)
def test_traces_match_packet_for_packet_within_a_tenth_of_a_millisecond(
    ours: dict[str, list[suite.Point]], ok: bool, says: str
) -> None:
    found = suite.match(points(1, 2, 3), ours)
    assert (found.ok, found.first_difference) == (ok, says)


def test_the_result_is_found_among_what_ns2_says() -> None:
    said = 'num_nodes is set 2\n{"flows": [{"acked": 7}], "mean_cwnd": null}\nSORTING LISTS ...DONE!\n'
    assert read_json(said, ["ns"])["flows"] == [{"acked": 7}]
    with pytest.raises(ProgramError, match="printed no result"):
        read_json("couldn't read file", ["ns"])


def test_finished_runs_are_kept_and_belong_to_what_they_depend_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.peers.jobs.ROOT", tmp_path)
    calls: list[tuple[str, ...]] = []

    def harvest(command: tuple[str, ...]) -> dict[str, int]:
        calls.append(command)
        return {"flows": len(calls)}

    jobs = [Job("ns-2", ("ns", str(i)), ("2.35",), harvest=harvest) for i in range(3)]
    first = Results()
    first.do(jobs, threads=1)
    again = Results()
    again.do([*jobs, Job("ns-2", ("ns", "0"), ("2.36",), harvest=harvest)], threads=2)
    assert len(calls) == 4
    assert again.taken_from_cache == 3
    assert [first[job] for job in jobs] == [again[job] for job in jobs]


def test_bounds() -> None:
    theirs, ours = Sample([95, 105]), Sample([103, 103])
    assert deviation(ours, theirs) == pytest.approx(0.03)
    assert percent(-0.0312) == "−3.1 %"
    assert within(ours, theirs, 0.03)
    assert not within(ours, theirs, 0.029)
    # One standard deviation of theirs (7.07) outweighs a smaller share.
    assert within_share_or_spread(ours, theirs, 0.01)
    assert not within_share_or_spread(Sample([108]), theirs, 0.01)
    assert not within_share_or_spread(Sample([1]), Sample([0, 0]), 0.15)
    section = Section("t", "b")
    assert section.judge("here", {"goodput": True, "timeouts": False}) == "**off: timeouts**"
    assert section.verdict == "**off**: 1 of 2"


def test_a_few_seeds_are_judged_by_their_intervals() -> None:
    # The means are 6 % apart. Variances 50 and 2 over two runs each: the standard error is 5.1, Welch's
    # degrees of freedom are 1.08, so the interval of the difference reaches far beyond any bound.
    theirs, ours = Sample([95, 105]), Sample([105, 107])
    assert not within(ours, theirs, 0.03)
    assert within(ours, theirs, 0.03, Judging.INTERVALS)
    # As far apart, but sure of it: 4.303 standard errors of 0.141 are 0.61.
    theirs, ours = Sample([99.9, 100.1]), Sample([105.9, 106.1])
    assert not within(ours, theirs, 0.03, Judging.INTERVALS)
    assert within(ours, theirs, 0.054, Judging.INTERVALS)
    assert not within(ours, theirs, 0.053, Judging.INTERVALS)
    # Equal runs leave no doubt, single ones nothing but doubt.
    assert not within(Sample([106, 106]), Sample([100, 100]), 0.05, Judging.INTERVALS)
    assert within(Sample([106]), Sample([100]), 0.05, Judging.INTERVALS)
    assert not within_share_or_spread(ours, theirs, 0.03, Judging.INTERVALS)


def test_built_in_scenarios_run_as_a_user_types_them() -> None:
    command = builtin("string-4", 3, tcp="sack", settings={"routing.protocol": "static"}).command
    assert command[1:] == (
        *("run", "string-4", "--seed", "3", "--tcp", "sack"),
        *("--set", "routing.protocol=static", "--json"),
    )


def test_route_changes_are_read_from_both() -> None:
    assert route_changes({"routing": {"route_changes": 7}}) == 7
    assert route_changes({"flows": [], "route_changes": 5}) == 5


def test_routes_of_all_nodes_are_judged_by_the_same_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(olsr_tables, "builtin_movement", lambda scenario, seed: SCENARIOS / "tables.toml")
    plan = dataclasses.replace(FULL, olsr_tables_seeds=2)

    def section(ours: int) -> Section:
        def result(job: Job) -> Result:
            if job.tool == "tworay":
                return {"routing": {"route_changes": ours}}
            return {"route_changes": 1000 if "--ties=1" in job.command else 1500, "equal_length": 600}

        chapter = olsr_tables.OlsrTables(plan)
        return chapter.section(cast("Results", {job: result(job) for job in chapter.jobs()}))

    # 15 % of the 1000 with the same choice, however far unmodified ns-3 is.
    assert section(860).verdict == "ok: 1 of 1"
    assert section(840).verdict == "**off**: 0 of 1"
    assert "| 1 | 1500 | 600 | 1000 | 600 | 860 | −14.0 % |" in section(860).body()
    assert "unmodified ns-3: −42.7 %" in section(860).body()


def test_the_mean_over_files_scatters_as_the_seeds_do() -> None:
    # Two files, two seeds: the files are far apart, the seeds aren't.
    found = moving.over_files({"a": Sample([10, 12]), "b": Sample([110, 112])})
    assert found.values == [60, 62]
    assert moving.apart(Sample([1.0, 1.1]), Sample([9.0, 9.1]))
    assert not moving.apart(Sample([1.0, 9.1]), Sample([9.0, 9.1]))
    assert not moving.apart(Sample([1.0]), Sample([9.0, 9.1])), "a single run has no interval"


def test_our_scenarios_load_with_the_overrides_that_are_used(tmp_path: Path) -> None:
    path = ROOT / SCENARIOS / "string.toml"
    tworay.load(path, set={"topology.hops": 12, "flow.0.to": 12, "mac.rts_threshold": "500B"})
    path = ROOT / SCENARIOS / "suite.toml"
    for test in suite.TESTS:
        drops = list(suite.DROPS[test.name])
        tworay.load(path, tcp=test.tcp, set={"wire.2.drops": drops, "tcp.limited_transmit": True})
    grid = tworay.load(ROOT / SCENARIOS / "grid.toml", set={"dialect": "standard"})
    assert grid.name == "peers-grid"
    movement = tmp_path / "strip.mov"
    movement.write_text(tworay.moves("strip-50", seed=1, form="ns2"))
    tables = tworay.load(ROOT / SCENARIOS / "tables.toml", set={"mobility.file": str(movement)})
    assert tables.name == "peers-tables"


def test_the_quick_plan_is_part_of_the_full_one() -> None:
    assert set(QUICK.static_hops) <= set(FULL.static_hops)
    assert set(QUICK.moving) <= set(FULL.moving)
    assert (ROOT / NS2_DRIVER).is_file()
    assert (ROOT / NS3_DRIVER).is_file()
    assert (ROOT / NS3_WIRED).is_file()
    assert (ROOT / NS3_AIR).is_file()
    assert len(set(itertools.chain(suite.TESTS))) == 50


@pytest.mark.parametrize(("plan", "only"), [(QUICK, []), (FULL, ["static"])])
def test_a_subset_of_the_runs_is_printed_and_not_written(
    plan: Plan, only: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Chapter:
        def jobs(self) -> list[Job]:
            return []

        def section(self, results: Results) -> Section:
            return Section("Strings", "within 3 %")

    written: list[str] = []
    monkeypatch.setattr(tools, "install", lambda packages: None)
    for tool in ("build_ns3_driver", "build_ns3_wired_driver"):
        monkeypatch.setattr(tools, tool, lambda: None)
    known = {"static": Chapter(), "aodv": Chapter()}
    monkeypatch.setattr(validation, "chapters", lambda plan, theirs: known)
    monkeypatch.setattr(validation, "earlier", lambda results: None)
    monkeypatch.setattr(pages, "write", lambda sections, order: written.extend(sections))
    validation.validate(plan, threads=1, only=only)
    printed = capsys.readouterr().out
    assert (written, "## Strings" in printed) == ((["static"], False) if plan is FULL else ([], True))


def test_an_unknown_case_is_refused() -> None:
    with pytest.raises(ProgramError, match="--only string-3: there is no such case; allowed are string-4, "):
        bench(repeats=1, quick=False, only=["string-3"])


def test_ranks_are_spearmans() -> None:
    # Two neighbours changed places: 1 - 6 * 2 / (5 * 24).
    assert rank_correlation([10, 20, 30, 40, 50], [1, 3, 2, 7, 9]) == pytest.approx(0.9)
    assert rank_correlation([1, 2, 3], [9, 5, 1]) == pytest.approx(-1)


def test_kept_windows_are_read_and_ns2s_chatter_is_not() -> None:
    head = "# made by\nvariant,rate_kbps,delay_ms,queue,end,drops,cwnd\n"
    first, second = windows.kept_cases(f"{head}vegas,800,100,8,3,60 61,6 12.5\nwestwood,2000,50,8,2,,31\n")
    assert first.job().command == (
        *("ns", "studies/peers/ns2/window.tcl", "vegas", "800", "100", "8", "3"),
        *("60", "61"),
    )
    assert first.windows == (6.0, 12.5)
    assert second.job().command[-2:] == ("8", "2")
    assert windows.read_windows("cmd:select_ca westwood\n2.0 31.000\n2.5 8.000\nselect_ca \n") == [31.0, 8.0]
    # ns-2's queue counts the packet that is on its way out.
    ours = second.ours().command
    assert {"wire.2.queue=7", "wire.2.rate=2000kbps", "wire.2.delay=50ms", "wire.2.drops=[]"} <= set(ours)
    assert 'tcp.sack.form="tcp-linux"' in ours
    assert 'tcp.sack.form="tcp-linux"' not in first.ours().command


def test_windows_are_sampled_from_changes_and_compared_at_every_sample() -> None:
    # A change in the instant of a sample is in it.
    assert windows.sample([1.0, 1.9, 2.5, 3.4], [1.0, 2.0, 3.0, 4.0], 4.0) == [2.0, 3.0, 3.0, 4.0]
    assert windows.difference([6.0, 4.0], [5.0, 5.5]) == 1.5
    assert windows.difference([6.0], [6.0, 5.5]) == float("inf")


def test_random_transfers_are_the_same_on_every_machine() -> None:
    wanted = more_windows.Wanted(3, 5, ("vegas", "reno"), "800", "100")
    first, second, third = wanted.draw()
    assert (first.variant, second.variant, third.variant) == ("vegas", "reno", "vegas")
    assert first.line() == "vegas,800,100,50,30,60 511 735 954 1086 1330 1336 1415,"
    assert windows.kept_cases(f"head\n{second.line()}6 12.5")[0].windows == (6.0, 12.5)


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand-ins for dpkg-query, which knows no package, and for apt-get, which keeps its command line."""
    log = tmp_path / "log"
    for name, script in {
        "dpkg-query": "exit 1",
        "apt-get": f'echo "$*" >> {log}',
        "sudo": 'test "$1" = -n && shift; exec "$@"',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    tools.debian_version.cache_clear()
    yield log
    tools.debian_version.cache_clear()


def test_a_bare_machine_gets_every_package(bare_machine: Path) -> None:
    tools.install()
    (line,) = bare_machine.read_text().splitlines()
    assert line.startswith("install -y")
    assert {"ns2", "ns2-examples", "libns3-dev", "g++"} <= set(line.split())


def test_results_of_other_simulators_outlive_a_build_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def keys() -> list[str]:
        ours = simulators.builtin("string-4", 1)
        return [
            simulators.ns2_string(4, "sack", 1).cached_at(),
            simulators.ns3().cached_at(),
            ours.cached_at(),
        ]

    monkeypatch.setattr(tools, "tworay_build", lambda: "one build")
    before = keys()
    monkeypatch.setattr(tools, "tworay_build", lambda: "another")
    after = keys()
    assert after[:2] == before[:2]
    assert after[2] != before[2]


def test_chapters_have_pages_and_dates_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    for name, value in {
        "commit": "c0ffee",
        "tworay_version": "1",
        "tworay_build": "b",
        "machine": "m",
    }.items():
        monkeypatch.setattr(pages.tools, name, lambda value=value: value)
    monkeypatch.setattr(pages.tools, "debian_version", lambda _: "2.35")
    for name in ("ns2_version", "ns3_version"):
        monkeypatch.setattr(pages.tools, name, lambda: "2.35")
    good, bad = Section("Strings", "within 3 %"), Section("Fields", "within 9 %")
    good.judge("4 hops", {"goodput": True})
    bad.judge("file 1", {"goodput": False})
    pages.write({"fields": bad}, order=["strings", "fields"])
    pages.write({"strings": good}, order=["strings", "fields"])
    listed = (tmp_path / pages.VALIDATION).read_text()
    rows = [line for line in listed.splitlines() if line.startswith("| [")]
    assert [row.split("|")[1:4] for row in rows] == [
        [" [Strings](validation/strings.md) ", " within 3 % ", " ok: 1 of 1 "],
        [" [Fields](validation/fields.md) ", " within 9 % ", " **off**: 0 of 1 "],
    ]
    assert "- file 1: goodput" in (tmp_path / pages.CHAPTERS / "fields.md").read_text()


def test_a_senders_figures_are_named_alike_in_both_simulators() -> None:
    theirs = {"flows": [{"acked": 90}], "mean_cwnd": 7.5, "recoveries": 3, "timeouts": 1, "probes": 2}
    flow = {"acked_segments": 90, "mean_cwnd_segments": 7.5, "fast_retransmits": 3, "timeouts": 1}
    ours = {"flows": [flow], "probes": 2}
    assert senders.measured(theirs, "cubic") == senders.measured(ours, "cubic") == (7.5, 90, 4)
    assert senders.measured(theirs, "bbr") == senders.measured(ours, "bbr") == (7.5, 90, 2)


def test_falls_of_the_window_close_together_are_one() -> None:
    times = [0.0, 1.0, 1.1, 1.2, 1.3, 9.0, 9.5]
    assert senders.falls(times, [2.0, 20.0, 4.0, 5.0, 4.0, 20.0, 3.5]) == 2
    assert senders.falls(times, [2.0, 20.0, 5.0, 5.0, 4.5, 20.0, 20.0]) == 0


def test_every_sender_is_compared_as_ns3_has_it_and_by_the_text() -> None:
    jobs = list(senders.Senders(QUICK).jobs())
    ours = {job.command[job.command.index("--tcp") + 1] for job in jobs if job.tool == "tworay"}
    assert ours == {*senders.AS_NS3.values(), *senders.BY_THE_TEXT.values()}
    # Three bottlenecks: CUBIC once, BBR with a deep queue, and with two seeds where it overflows.
    assert len([job for job in jobs if job.tool == "ns-3"]) == 3 * (1 + 1 + 2)


def _sent(*sends: tuple[float, int, bool]) -> list[Sent]:
    return [Sent(*send) for send in sends]


def test_the_pace_of_a_recovery_is_counted_by_ack() -> None:
    from studies.peers.kernel_capture import MSS, Capture, Segment, Ticks

    def ack(time: float, number: int) -> Segment:
        return Segment(time, False, 0x10, 1, number * MSS + 1, 65535, 0)

    packets = [ack(0.1, 1), ack(0.2, 1), ack(0.3, 1), ack(0.4, 4), ack(0.5, 6)]
    # Segments 0 to 3, the second repeated at 0.2, 4 and 5 sent meanwhile; 4 segments are acknowledged at 0.4.
    kernel = _sent((0.0, 0, False), (0.1, 3, False), (0.2, 1, True), (0.3, 4, False), (0.3, 5, False))
    ours = _sent((0.0, 0, False), (0.1, 3, False), (0.2, 1, True), (0.2, 4, False), (0.4, 5, False))
    captured = Capture(packets, Ticks(4_000_000, 0, 0))
    assert kernel_tcp.pace(captured, kernel, ours) == ([1, 2, 0], [2, 0, 1])
    assert kernel_tcp.pace(captured, kernel[:2], ours) == ([], []), "nothing is repeated"


def test_a_transfer_agrees_within_a_tick() -> None:
    case = kernel_tcp.CASES[0]

    def row(time: float, number: int = 7, pace: tuple[list[int], list[int]] = ([1], [1])) -> kernel_tcp.Row:
        theirs, own = _sent((0.1, 7, True)), _sent((time, number, True))
        return kernel_tcp.Row(case, "reno", theirs, own, pace, 0.004)

    assert row(0.1).agrees
    assert row(0.1035).agrees
    assert not row(0.106).in_time
    assert not row(0.1, number=8).same
    assert row(0.1, pace=([1, 0, 2], [2, 0, 1])).apart == 1
    shown = kernel_tcp.written([row(0.1, number=8)]).markdown()
    assert "**off: segments sent again, their times**" in shown


def test_without_root_the_kernel_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert kernel_tcp.KernelTcp().section(Results()) is None
