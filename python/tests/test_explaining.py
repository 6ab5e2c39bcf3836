"""`tworay explain`: what it says is what the tables of the run hold."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from program import called

import tworay
from tworay.errors import InputError
from tworay.showing.causes import ENDS, ROOTS
from tworay.showing.ending import Endings
from tworay.showing.explaining import _Flow
from tworay.showing.wording import _again

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

METRICS = (Path(__file__).parents[2] / "docs/reference/metrics.md").read_text()


@pytest.fixture(scope="module")
def broken() -> tworay.Run:
    """Run `link-failure`: node 1, the relay, is switched off at 20 s; 0, 2, 3, 4 is left."""
    return tworay.run("link-failure", set={"duration": "25s"})


@pytest.fixture(scope="module")
def string() -> tworay.Run:
    return tworay.run("string-4", set={"duration": "20s"})


def plain(text: object) -> str:
    """Return a text without the breaks of its lines."""
    return " ".join(str(text).split())


def lost(run: tworay.Run, **wanted: Any) -> list[dict[str, Any]]:
    return [row for row in run.ledger.to_dicts() if all(row[key] == wanted[key] for key in wanted)]


def test_a_break_is_told_as_the_ledger_has_it(broken: tworay.Run) -> None:
    """The relay dies with the ACKs it holds; the sender hears nothing until its timer expires."""
    found = broken.explain(at=20.1)
    (moment,) = found.document["moments"]
    loss, said = moment["loss"], plain(found)
    # The packet for the dead relay that died next to 20.1 s: its root is the relay, its end ARP's hold.
    assert loss in lost(broken, next_hop=1, cause="node-down")
    # Frames for the relay were other segments'.
    assert f"on the hop from node {loss['root_node']} to node 1, since {loss['since_s']:.3f} s." in said
    assert loss["attempts"] == 0
    assert "without success" not in said
    assert ROOTS["node-down"] in said
    assert ENDS[loss["died"]] in said
    # The sender's own view: one timeout, between the break and the end of the pause.
    (reaction,) = moment["reactions"]
    assert reaction["what"] == "timeout"
    before, after = reaction["rto_s"]
    assert after == pytest.approx(2 * before)
    assert f"{reaction['t_s']:.3f} s the retransmission timer expired (cwnd" in said
    assert 20 < reaction["t_s"] < moment["pause"]["end_s"]


def test_the_longest_pauses_are_found_with_what_caused_them(broken: tworay.Run) -> None:
    found = broken.explain()
    moments = found.document["moments"]
    progress = broken.series.filter(pl.col("acked_bytes").diff().fill_null(1) > 0)["t_s"].to_list()
    gaps = sorted(((b - a, a) for a, b in pairwise([*progress, 25.0])), reverse=True)[:10]
    assert sorted(a for _, a in gaps) == [moment["pause"]["begin_s"] for moment in moments]
    longest = max(moments, key=lambda m: m["pause"]["end_s"] - m["pause"]["begin_s"])
    begin = longest["pause"]["begin_s"]
    acked = broken.series.filter(pl.col("t_s") == begin)["acked_bytes"].item()
    # All data up to the loss had arrived (no row of the oldest byte), so the first lost ACK beyond it counts.
    assert not lost(broken, kind="data", seq=acked + 1)
    beyond = [row for row in lost(broken, kind="ack") if row["seq"] > acked + 1]
    assert longest["loss"] == min(beyond, key=lambda row: row["since_s"])
    others = sum(row["segments"] for row in longest["others_lost"])
    assert others == broken.ledger.height - 1
    # The timer sends data again that had arrived, and says so.
    again = broken.retransmissions.filter(pl.col("t_s") < longest["pause"]["end_s"])["t_s"].to_list()
    assert [row["t_s"] for row in longest["sent_again"]] == again
    times = ", ".join(f"{t:.3f} s" for t in again)
    said = _again(longest)
    assert said.startswith(f"data that had arrived was sent again at {times}; a later ACK came at")
    # In the list of pauses the same is told as a chain, in order of time.
    assert [step["t_s"] for step in longest["chain"]] == sorted(step["t_s"] for step in longest["chain"])
    assert f"node 1 down: an ACK stuck at node {longest['loss']['root_node']} at" in plain(found)
    assert f"new data acknowledged at {longest['pause']['end_s']:.3f} s." in plain(found)


def test_a_loss_that_came_too_late_did_not_cause_a_pause() -> None:
    """An ACK that is sent after the one that ended a pause would have come later than that one.

    Checked with what a record says of each segment, and the same without a record.
    """
    asked: dict[str, Any] = {"scenario": "mesh-3", "seed": 1, "set": {"duration": "60s"}}
    run = tworay.run(**asked, record=True)
    sent = run.tables["segments"].filter(pl.col("kind") == "ack")
    blamed = 0
    for flow in (0, 1, 2):
        mine = sent.filter(pl.col("flow") == flow)
        bare = tworay.run(**asked).explain(flow=flow).document["moments"]
        for moment, other in zip(run.explain(flow=flow).document["moments"], bare, strict=True):
            assert moment["loss"] == other["loss"]
            end = moment["pause"]["end_s"]
            ended = mine.filter((pl.col("arrived_s") - end).abs() < 1e-6)["t_s"].min()
            if moment["part"] == "ack":
                blamed += 1
                gone, number = moment["loss"]["t_s"], moment["loss"]["seq"]
                same = (pl.col("ack") == number) & ((pl.col("lost_s") - gone).abs() < 1e-6)
                assert mine.filter(same)["t_s"].item() <= ended
    assert blamed
    # The pause of flow 1 from 8.4 s to 9.6 s ended with ACK 91981; ACK 144541, lost meanwhile, is of later.
    pause = next(m for m in run.explain(flow=1).document["moments"] if 8.4 < m["pause"]["begin_s"] < 8.5)
    assert lost(run, flow=1, kind="ack", seq=144541)[0]["since_s"] < pause["pause"]["end_s"]
    assert pause["loss"] is None
    # Asked for, that loss isn't told with this pause.
    (moment,) = run.explain(flow=1, at=9.517).document["moments"]
    assert moment["loss"]["seq"] == 144541
    assert moment["pause"] is None or moment["pause"]["begin_s"] > 9.517


def test_data_sent_again_after_it_had_arrived_did_not_cause_a_pause() -> None:
    """The oldest segment arrived, and its ACK is late; the copy that the timer sends is lost."""
    nothing = {"arrived_s": None, "lost_s": None, "ack": None, "seq": None, "bytes": 0}
    ack = nothing | {"flow": 0, "from": 1, "to": 0, "kind": "ack"}
    data = nothing | {"flow": 0, "from": 0, "to": 1, "kind": "data", "seq": 1001, "bytes": 1000}
    segments = pl.DataFrame(
        [
            ack | {"t_s": 0.5, "arrived_s": 1.0, "ack": 1001},
            data | {"t_s": 0.9, "arrived_s": 1.2},
            ack | {"t_s": 1.2, "arrived_s": 5.0, "ack": 2001},
            data | {"t_s": 3.0, "lost_s": 3.1},
            data | {"t_s": 0.8, "lost_s": 3.2},
        ],
        infer_schema_length=None,
    )

    run: Any = SimpleNamespace(tables={"segments": segments})
    endings = Endings(run, {"id": 0, "from": 0, "to": 1, "tcp": "newreno"})
    latest = endings.latest((1.0, 5.0))
    assert latest == {"ack": 1.2, "data": 1.2}
    assert endings.too_late({"kind": "data", "seq": 1001, "t_s": 3.1}, latest)
    assert not endings.too_late({"kind": "data", "seq": 1001, "t_s": 3.2}, latest)
    # Nothing ended this one.
    assert endings.latest((5.0, 9.0)) == {}


def test_a_lost_segment_is_followed_to_its_repair(string: tworay.Run) -> None:
    loss = next(row for row in lost(string, kind="data") if row["interferer"] is not None)
    found = string.explain(at=loss["t_s"])
    (moment,) = found.document["moments"]
    said = plain(found)
    assert moment["loss"] == loss
    by = loss["interferer"]
    assert by != loss["next_hop"]
    hop = f"on the hop from node {loss['root_node']} to node {loss['next_hop']}"
    assert f"{hop}, since {loss['since_s']:.3f} s; {loss['attempts']} frames sent without success" in said
    assert f"the last spoiled by the signal of node {by}." in said
    again = string.retransmissions.filter(pl.col("seq") == loss["seq"])["t_s"].to_list()
    assert [row["t_s"] for row in moment["sent_again"]] == again != []
    done = string.series.filter(pl.col("acked_bytes") >= loss["seq"])["t_s"].min()
    assert moment["acknowledged_s"] == done
    assert f"sent again at {again[0]:.3f} s; its ACK came at {done:.3f} s." in said
    # A transfer by NewReno repairs it by three duplicate ACKs, and halves its window.
    (reaction,) = moment["reactions"]
    assert (reaction["what"], reaction["t_s"]) == ("fast-retransmit", again[0])
    assert reaction["cwnd_segments"][1] == pytest.approx(moment["sender"]["in_flight_segments"] / 2, rel=0.05)


@pytest.mark.parametrize(
    ("scenario", "tcp", "seconds", "settings"),
    [
        ("interference", "sack", 12, {}),
        ("interference", "vegas", 12, {}),
        ("interference", "reno+fixed-rto", 12, {}),
        ("congestion", "tahoe", 12, {}),
        ("congestion", "reno", 12, {}),
        ("dumbbell-4", "sack", 12, {}),
        # Vegas backs off its RTO when duplicate ACKs bring a retransmission, too.
        ("strip-50", "vegas", 4, {"routing.protocol": "dsr"}),
    ],
)
def test_what_the_sender_did_adds_up_to_its_counters(
    scenario: str, tcp: str, seconds: int, settings: dict[str, str]
) -> None:
    run = tworay.run(scenario, tcp=tcp, set={"duration": f"{seconds}s"} | settings, seed=2)
    for flow in run.summary["flows"]:
        seen = _Flow(run, flow)
        did = Counter(reaction["what"] for reaction in seen._reactions(0.0, seconds))
        assert (did["timeout"], did["fast-retransmit"]) == (flow["timeouts"], flow["fast_retransmits"])
        assert len(seen.resent) == flow["retransmitted_segments"]
    assert sum(flow["retransmitted_segments"] for flow in run.summary["flows"]) > 0


def test_the_timer_of_a_lost_syn_expires_once(tmp_path: Path) -> None:
    """The relay is off when the SYN is sent at 1 s, and on when it is sent again at 2 s.

    With the handshake the RTO rises once more, to 3 s (RFC 6298, 5.7): not an expiry.
    """
    file = tmp_path / "late.toml"
    file.write_text(
        'duration = "8s"\ntopology = { kind = "string", hops = 2 }\nrouting = { protocol = "static" }\n'
        '[[event]]\nnode = 1\nat = "0.5s"\nwhat = "down"\n'
        '[[event]]\nnode = 1\nat = "1.5s"\nwhat = "up"\n'
        '[[flow]]\nfrom = 0\nto = 2\nstart = "1s"\napp = "ftp"\n',
        encoding="ascii",
    )
    run = tworay.run(str(file), seed=1)
    assert run.series.filter(pl.col("rto_s") == 3.0).height > 0
    moment = run.explain(at=1.5).document["moments"][0]
    assert [(one["what"], round(one["t_s"], 2)) for one in moment["reactions"]] == [("timeout", 2.0)]
    assert repr(run.explain(at=1.5)) == str(run.explain(at=1.5))


def test_the_senders_guess_is_judged() -> None:
    # Timed once per window, as RFC 6298 permits, its round trips show this congestion.
    run = tworay.run("congestion", tcp="welcome(timing=window)", set={"duration": "12s"})
    loss = lost(run, flow=0, kind="data")[0]
    found = run.explain(flow=0, at=loss["t_s"])
    (moment,) = found.document["moments"]
    guess = run.guesses.filter(pl.col("flow") == 0).to_dicts()[0]
    assert moment["guess"] == {
        key: guess[key] for key in ("t_s", "seq", "guess", "cause", "cause_by_outcome")
    } | {"right": guess["guess"] == guess["cause"]}
    assert (guess["guess"], guess["cause"], loss["died"]) == ("congestion", "congestion", "ifq")
    assert f"congestion, at {guess['t_s']:.3f} s: right." in plain(found)
    assert "the interface queue was full (50 packets)" in plain(found)


def test_senders_that_judge_nothing_are_said_to(string: tworay.Run) -> None:
    assert "none; newreno made none in the whole run." in plain(string.explain(at=15.2))


def test_sequence_numbers_may_begin_anywhere(broken: tworay.Run) -> None:
    """An initial sequence number close to the end of the numbers: they wrap, the story is the same."""
    iss = 2**32 - 700_000
    other = tworay.run("link-failure", set={"duration": "25s", "tcp.iss": iss})
    first, second = (run.explain().document["moments"] for run in (broken, other))
    assert [m["acknowledged_s"] for m in first] == [m["acknowledged_s"] for m in second]
    for one, two in zip(first, second, strict=True):
        assert (one["pause"], one["reactions"]) == (two["pause"], two["reactions"])
        if one["loss"]:
            assert (one["loss"]["seq"] + iss) % 2**32 == two["loss"]["seq"]


def test_datagrams_are_lost_in_bursts() -> None:
    flood = {"duration": "6s", "flow.0.app": "cbr", "flow.0.rate": "1Mbps"}
    run = tworay.run("string-3", set=flood)
    found = run.explain()
    longest = max(found.document["moments"], key=lambda moment: moment["burst"]["datagrams"])
    numbers = sorted(run.ledger["seq"].to_list())
    runs = [1]
    for a, b in pairwise(numbers):
        runs = [*runs, 1] if b > a + 1 else [*runs[:-1], runs[-1] + 1]
    assert longest["burst"]["datagrams"] == max(runs) > 1
    burst = longest["burst"]
    assert f"{max(runs)} datagrams lost one after the other, {burst['first']} to {burst['last']}" in plain(
        found
    )
    assert "cwnd" not in plain(found)


def test_a_flow_that_lost_nothing() -> None:
    run = tworay.run("string-1", set={"duration": "3s", "tcp.window": 4})
    assert run.ledger.is_empty()
    said = plain(run.explain(at=2))
    assert "2.000 s: this flow lost nothing in the whole run" in said
    assert "nothing: neither its timer nor duplicate ACKs indicated a loss." in said


def test_what_can_not_be_explained_is_refused(string: tworay.Run) -> None:
    with pytest.raises(InputError, match=r"no flow 4; there are 0 \(0 to 4\)"):
        string.explain(flow=4)
    with pytest.raises(InputError, match="lasts from 0 to 20 s"):
        string.explain(at=21)
    with pytest.raises(InputError, match=r"which flow\? flow names one of 0 \(0 to 2\), 1 \(3 to 6\)"):
        tworay.run("interference", set={"duration": "3s"}).explain(at=1)
    bare = {"scenario": "string-4", "set": {"duration": "6s"}}
    with pytest.raises(InputError, match="no table `ledger`"):
        tworay.run(**bare, losses=False).explain()
    with pytest.raises(InputError, match="no table `series`"):
        tworay.run(**bare, series=False).explain()


def test_the_command_says_what_python_says(
    string: tworay.Run, cli: Cli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    string.save(tmp_path / "one")
    done = cli("explain", "one", "--at", "15.2s")
    assert (done.code, done.err) == (0, "")
    assert plain(done.out) == plain(string.explain(at=15.2))
    place = str(tmp_path / "one")
    assert printed(capsys, place, "--at", "15200ms", "--json") == string.explain(at=15.2).document
    assert printed(capsys, place, "--json") == string.explain().document
    for wrong, reason in {
        ("--at", "3h"): "not a time of a run",
        ("--flow", "7"): "there is no flow 7",
        ("--seed", "1"): "leave out arm and seed",
    }.items():
        with pytest.raises(InputError, match=reason):
            printed(capsys, place, *wrong)
    with pytest.raises(InputError, match="holds no results"):
        printed(capsys, str(tmp_path))


def test_the_sample_of_the_documentation_is_what_is_printed(
    string: tworay.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    printed_now = str(string.explain(at=15.2))
    assert printed_now in METRICS, (
        f"docs/reference/metrics.md, One loss explained, has an old sample; it is now\n{printed_now}"
    )


def test_one_run_of_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "both"
    settings = {"duration": "8s"}
    tworay.compare("string-3", tcp="reno,vegas", seeds=2, set=settings, out=place)
    with pytest.raises(InputError, match=r"with arm \(reno, vegas\) and seed \(1, 2\)"):
        printed(capsys, str(place), "--seed", "2")
    one = tworay.run("string-3", tcp="reno", seed=2, set=settings)
    found = printed(capsys, str(place), "--arm", "reno", "--seed", "2", "--json")
    assert found == one.explain().document


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return the document that the command prints, in this process."""
    called("explain", *arguments)
    return json.loads(capsys.readouterr().out)


def test_a_listed_time_finds_the_moment_that_is_listed_with_it(broken: tworay.Run) -> None:
    """A reader copies the time of a pause or of a loss from the list into ``--at``."""
    for moment in broken.explain().document["moments"]:
        begin = round(moment["pause"]["begin_s"], 3)
        if any(abs(row[key] - begin) < 1e-3 for row in lost(broken) for key in ("t_s", "since_s")):
            continue  # A loss is printed with the same time, and comes first.
        (found,) = broken.explain(at=begin).document["moments"]
        assert found["pause"] == moment["pause"]
        assert found["loss"] == moment["loss"]
    for row in lost(broken):
        (found,) = broken.explain(at=round(row["t_s"], 3)).document["moments"]
        assert round(row["t_s"], 3) in (round(found["loss"]["t_s"], 3), round(found["loss"]["since_s"], 3))


def test_a_pause_from_the_start_follows_no_acknowledgment() -> None:
    """The SYN waits for AODV's search, longer than this timer: nothing was acknowledged before."""
    settings = {"duration": "3s", "flow.0.start": "1s", "tcp.rto.initial": "50ms"}
    run = tworay.run("string-4", tcp="newreno", seed=1, set=settings)
    first, *others = str(run.explain()).split("\n\n")[1:]
    assert "the flow's start at 1.0" in " ".join(first.split())
    assert "last acknowledgment" not in first
    assert all("the flow's start" not in other for other in others)


def test_what_was_under_way_at_the_end_is_neither_delivered_nor_lost(
    tmp_path: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two stations out of range one sends 100 B every 100 ms from 0.1 s on: five until 0.55 s.

    AODV's buffer holds them while it searches.
    """
    file = tmp_path / "apart.toml"
    file.write_text(
        'duration = "0.55s"\ntopology = { kind = "explicit", positions = [[0, 0], [2000, 0]] }\n'
        'routing = { protocol = "aodv" }\n'
        '[[flow]]\nfrom = 0\nto = 1\nstart = "0.1s"\napp = "cbr"\ninterval = "100ms"\nsize = "100B"\n',
        encoding="ascii",
    )
    run = tworay.run(str(file), seed=1)
    assert run.summary["flows"][0]["sent_segments"] == 5
    said = "5 datagrams were under way when it ended."
    assert f"It lost nothing. {said}" in plain(run.explain())
    assert f"No segment was lost. {said}" in run._repr_html_()
    done = cli("run", str(file))
    assert f"No segment was lost. {said}" in plain(done.out)
    # Figures of flows leave out a warm-up, so that nothing is said.
    assert "under way" not in cli("run", str(file), "--set", "warmup=0.25s").out


def test_runs_of_a_comparison_are_found_by_the_names_that_tables_print(tmp_path: Path, cli: Cli) -> None:
    place = tmp_path / "both"
    vary = {"tcp.window": [8, 16]}
    tworay.compare("string-2", tcp="reno,vegas", vary=vary, seeds=2, set={"duration": "3s"}, out=place)
    one = cli("explain", "both", "--arm", "reno 8", "--seed", "2")
    other = cli("explain", "both", "--arm", "reno tcp.window=8", "--seed", "2")
    assert (one.code, one.err) == (0, "")
    assert one.out == other.out
    # Four arms have the same seeds.
    assert "its seeds are 1-2" in " ".join(cli("explain", "both", "--seed", "9").err.split())
