"""Data of reports: packed tables, levels of detail, qlog, the server, the built script."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import http.client
import json
import shlex
import struct
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from program import called

import tworay
from tworay.errors import InputError
from tworay.papers.numbering import names
from tworay.report.packing import pack
from tworay.report.page import capital, coded, whole_page
from tworay.report.qlog import qlog, ranges, write_qlog
from tworay.report.rundata import FlowData
from tworay.report.runpage import settings_of
from tworay.report.serving import find, server
from tworay.report.thinning import bars, levels
from tworay.report.writing import write_report
from tworay.showing.chains import chain

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

ROOT = Path(__file__).parents[2]
VIEWER = ROOT / "viewer"
BUILT = ROOT / "python" / "tworay" / "report" / "built"


@pytest.fixture(scope="module")
def recorded() -> tworay.Run:
    """Record the relay that walks out of range at 150 m north: at 27.5 s, at 20 m/s."""
    return tworay.run("signal-loss", tcp="welcome(timing=window)", set={"duration": "40s"}, record=True)


def unpack(text: str) -> dict[str, list[Any]]:
    """Unpack as the page does, written from the format's description."""
    data = gzip.decompress(base64.b64decode(text))
    (length,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + length])
    at, rows, found = 4 + length, head["rows"], {}
    for column in head["columns"]:
        planes = [data[at + k * rows : at + (k + 1) * rows] for k in range(4)]
        at += 4 * rows
        value, values = 0, []
        for i in range(rows):
            value = (value + sum(planes[k][i] << (8 * k) for k in range(4))) & 0xFFFFFFFF
            signed = value - 2**32 if value >= 2**31 else value
            missing = signed == -(2**31)
            words = column.get("words")
            values.append(None if missing else words[signed] if words else signed * column["scale"])
        found[column["name"]] = values
    assert at == len(data)
    return found


def test_tables_survive_packing() -> None:
    times = [0.0, 0.000001, 899.999999, 12.5]
    sizes = [float("nan"), 0.0, 3e9, -7.0]
    found = unpack(pack({"t": (times, 1e-6), "n": (sizes, 1.0), "w": (["a", "b"], [1, -1, 0, 1])}))
    assert found["t"] == pytest.approx(times, abs=1e-9)
    assert found["n"][0] is None
    # Too large for 32 bits: the scale grows by tens, and with it the error.
    assert found["n"][1:] == pytest.approx([0, 3e9, -7], abs=5.1)
    assert found["w"] == ["b", None, "a", "b"]


def test_levels_keep_extremes() -> None:
    rng = np.random.default_rng(1)
    columns = {"t": np.arange(200_000.0), "v": rng.normal(size=200_000)}
    columns["v"][[77_777, 123_456]] = [50.0, -50.0]
    found = levels(columns)
    assert len(found) > 2
    assert found[-1].rows < 7000
    for level in found:
        assert (level.columns["v"].max(), level.columns["v"].min()) == (50.0, -50.0)
        assert np.all(np.diff(level.columns["t"]) > 0)
        assert level.columns["t"][[0, -1]].tolist() == [0.0, 199_999.0]
    some = bars(columns["t"], columns["v"], columns["v"] + 1)[-1]
    assert (some.columns["low"].min(), some.columns["high"].max()) == (-50.0, 51.0)


def test_sequence_numbers_are_unwrapped_and_waits_are_those_of_the_timer(recorded: tworay.Run) -> None:
    about = recorded.summary["flows"][0]
    flow = FlowData(recorded, about, settings_of(recorded))
    waits = flow.waits()
    assert len(waits) == about["timeouts"]
    assert (waits[:, 1] - waits[:, 0]).sum() == pytest.approx(about["rto_idle_seconds"], rel=0.02)
    # The simulator's first sequence number may be anything; payload is counted from 0.
    late = tworay.run("string-1", set={"duration": "5s", "tcp.iss": 2**32 - 3000}, record=True)
    flow = FlowData(late, late.summary["flows"][0], settings_of(late))
    sent = late.tables["segments"].filter((pl.col("kind") == "data") & (pl.col("bytes") > 0))
    sent = sent.filter(pl.col("again") == 0)
    first = flow.bytes_of(sent["seq"].cast(float).to_numpy(), sent["t_s"].to_numpy())
    assert len(first) > 100
    assert first.tolist() == [1460 * k for k in range(len(first))]


def test_a_chain_names_the_moment_at_which_a_link_was_gone(recorded: tworay.Run) -> None:
    moments = recorded.explain().document["moments"]
    longest = max(moments, key=lambda m: m["pause"]["end_s"] - m["pause"]["begin_s"])
    steps = longest["chain"]
    assert steps == chain(recorded, recorded.summary["flows"][0], longest)
    # 200 m east, (27.5 - 20) s * 20 m/s = 150 m north: 250 m.
    gone = next(step for step in steps if "out of range" in step["text"])
    assert gone["t_s"] == pytest.approx(27.5, abs=0.01)
    texts = " ".join(step["text"] for step in steps)
    for word in ("stuck at node", "gave up after 7 frames", "AODV at node 1 noticed", "expired", "answered"):
        assert word in texts
    assert steps[-1] == {"t_s": longest["pause"]["end_s"], "text": "new data acknowledged"}


def test_qlog_has_what_its_viewers_read(recorded: tworay.Run) -> None:
    records = qlog(recorded, 0).split("\x1e")
    assert records[0] == ""
    head, *events = [json.loads(one) for one in records[1:]]
    assert (head["qlog_version"], head["qlog_format"]) == ("0.3", "JSON-SEQ")
    times = [event["time"] for event in events]
    assert times == sorted(times)
    named: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        named.setdefault(event["name"], []).append(event["data"])
    sent = named["transport:packet_sent"]
    segments = recorded.tables["segments"].filter((pl.col("kind") == "data") & (pl.col("from") == 0))
    assert [one["header"]["packet_number"] for one in sent] == list(range(segments.height))
    assert {one["header"]["packet_type"] for one in sent} == {"1RTT"}
    assert all(one["raw"]["length"] > 0 for one in sent)
    frames = [frame for one in named["transport:packet_received"] for frame in one["frames"]]
    acked = [
        n for f in frames if f["frame_type"] == "ack" for a, b in f["acked_ranges"] for n in range(a, b + 1)
    ]
    # No transmission is acknowledged twice, and only such that arrived.
    assert len(acked) == len(set(acked)) > 100
    arrived = {n for n, at in enumerate(segments["arrived_s"].to_list()) if at is not None}
    assert set(acked) <= arrived
    lost = segments.filter(pl.col("lost_s").is_not_null())
    assert len(named["recovery:packet_lost"]) == len(named["tworay:died"]) == lost.height > 0
    assert {one["cause"] for one in named["tworay:died"]} == set(lost["cause"].to_list())
    assert all(one["node"] is not None for one in named["tworay:died"])
    assert len(named["tworay:guessed"]) == recorded.guesses.height
    for field in ("cwnd", "congestion_window", "bytes_in_flight", "smoothed_rtt", "latest_rtt", "min_rtt"):
        assert any(field in one for one in named["recovery:metrics_updated"]), field
    (parameters,) = named["transport:parameters_set"]
    # What the other end allows, which qvis draws: the window of the SYN's answer.
    assert parameters["owner"] == "remote"
    first = recorded.tables["segments"].filter(pl.col("from") == 2).sort("arrived_s")["window"][0]
    assert parameters["initial_max_data"] == first > 0
    assert ranges([1, 2, 3, 5]) == [[1, 3], [5, 5]]


def test_qlog_says_what_it_lacks(recorded: tworay.Run, tmp_path: Path) -> None:
    recorded.save(tmp_path / "one")
    assert write_qlog(tmp_path / "one", 0) == tmp_path / "one" / "flow-0.sqlog"
    with pytest.raises(InputError, match="there is no flow 3; there are 0"):
        qlog(recorded, 3)
    with pytest.raises(InputError, match="record=True"):
        qlog(tworay.run("string-1", set={"duration": "2s"}), 0)


def test_commands(cli: Cli, tmp_path: Path) -> None:
    settings = ("--set", "duration=3s")
    done = cli("run", "string-2", *settings, "--record", "--out", "one")
    assert (done.code, done.err.strip()) == (0, "results are in one; open one/report.html in a browser")
    (tmp_path / "one" / "report.html").unlink()
    called("report", str(tmp_path / "one"), "--qlog", "0")
    assert (tmp_path / "one" / "report.html").is_file()
    assert (tmp_path / "one" / "flow-0.sqlog").read_bytes().startswith(b"\x1e{")
    done = cli("compare", "string-2", "--tcp", "reno,vegas", "--seeds", "2", *settings, "--out", "two")
    assert "open two/report.html in a browser" in done.err
    called("report", str(tmp_path / "two"), "--arm", "reno", "--seed", "2")
    one = (tmp_path / "two" / "report-reno-2.html").read_text()
    assert "tworay run two/scenario.toml --seed 2 --tcp reno --out AGAIN" in one
    refused = {
        ("run", "string-2", "--record"): "record=True needs a directory for its tables",
        ("report", "nowhere"): "there is no such directory",
        ("report", str(tmp_path / "one"), "--seed", "1"): "leave out arm and seed",
        ("report", str(tmp_path / "two"), "--seed", "7"): "has no run of every arm with it; seeds: 1, 2",
        ("view", "nowhere"): "there is no such directory",
    }
    for words, reason in refused.items():
        with pytest.raises(InputError, match=reason):
            called(*words)


def test_the_command_of_a_page_makes_the_run_again(cli: Cli, tmp_path: Path) -> None:
    vary = {"mac.rts_threshold": ["0B", "3000B"]}
    settings = {"duration": "3s"}
    tworay.compare("string-2", tcp="vegas", vary=vary, seeds=3, set=settings, out=tmp_path / "two")
    arm = "vegas mac.rts_threshold=3000B"
    stored = tworay.results(tmp_path / "two")
    assert arm in stored.variants
    page = tworay.write_report(tmp_path / "two", arm=arm, seed=3).read_text()
    command = html.unescape(page.split("The run: <code>")[1].split("</code>")[0])
    assert cli(*shlex.split(command)[1:]).code == 0
    again = tworay.Run.read(tmp_path / "AGAIN")
    assert again.goodput_bps == stored.values(arm)[3]["goodput_bps"]


def test_claims_name_their_figures() -> None:
    assert names("§IV, figure 7", "7")
    assert names("figures 4 to 6", "6")
    assert names("table 5.1, p. 130", "table 5.1")
    assert names("figure 5.8a", "5.8"), "a part of the figure"
    assert not names("figure 3.8b", "3.8a")
    assert not names("figure 17", "7")
    assert not names("figure 7.2", "7")
    assert not names("table 5.12", "table 5.1")


def test_units_keep_their_letters() -> None:
    assert (capital("goodput"), capital("µJ/bit"), capital("")) == ("Goodput", "µJ/bit", "")
    assert coded("`a<b` and `c`") == "<code>a&lt;b</code> and <code>c</code>"


def test_a_directory_of_results_is_served_to_localhost_only(recorded: tworay.Run, tmp_path: Path) -> None:
    recorded.save(tmp_path / "deep" / "<one> & co")
    write_report(tmp_path / "deep" / "<one> & co")
    (tmp_path / "secret.txt").write_text("secret")
    assert [(one.place, one.command) for one in find(tmp_path)] == [("deep/<one> & co", "run")]
    with server(tmp_path, 0) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()

        def get(path: str, host: str = "localhost") -> tuple[int, str]:
            connection = http.client.HTTPConnection("127.0.0.1", serving.server_address[1], timeout=20)
            connection.request("GET", path, headers={"Host": host})
            answer = connection.getresponse()
            text = answer.read().decode()
            connection.close()
            return answer.status, text

        status, index = get("/")
        assert status == 200
        assert "deep/&lt;one&gt; &amp; co" in index
        link = index.split('<a href="/deep')[1].split('"')[0]
        status, text = get("/deep" + link)
        assert status == 200
        assert "signal-loss" in text
        # Of reports without results beside them only ours are known: the pages of papers.
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "report.html").write_text("<title>not ours</title>")
        (tmp_path / "paper").mkdir()
        (tmp_path / "paper" / "report.html").write_text(whole_page("A & B", "<h1>A paper</h1>"))
        assert "/other/" not in get("/")[1]
        assert "<td>A &amp; B</td>" in get("/")[1]
        assert "A paper" in get("/paper/report.html")[1]
        for path in (
            "/other/report.html",
            "/secret.txt",
            "/../secret.txt",
            "/%2e%2e/etc/passwd",
            "/deep/report.html",
        ):
            assert get(path)[0] == 404, path
        assert get("/", "evil.example")[0] == 403
        serving.shutdown()


def sources_digest() -> str:
    """Do what viewer/build.mjs does."""
    files = [file for file in (VIEWER / "src").rglob("*") if file.is_file()]
    files += [VIEWER / "package-lock.json", VIEWER / "build.mjs"]
    digest = hashlib.sha256()
    for name in sorted(file.relative_to(VIEWER).as_posix() for file in files):
        digest.update(f"{name}\n".encode() + (VIEWER / name).read_bytes() + b"\n")
    return digest.hexdigest()


def test_the_built_script_is_what_the_sources_build_to(tmp_path: Path) -> None:
    """Without Node a digest tells whether sources have changed since; with it they are built again."""
    assert (BUILT / "sources.sha256").read_text().strip() == sources_digest(), (
        "viewer/ has changed; run `npm ci && npm run build` there and commit python/tworay/report/built"
    )
    assert (VIEWER / "node_modules").is_dir(), "scripts/setup.sh tests installs what the viewer is built with"
    subprocess.run(["npm", "run", "--silent", "check"], cwd=VIEWER, check=True)
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=VIEWER, check=True)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == sorted(file.name for file in BUILT.iterdir())
    for name in names:
        assert (tmp_path / name).read_bytes() == (BUILT / name).read_bytes(), name
    # What a page of each kind carries.
    style = (BUILT / "viewer.css").stat().st_size
    for kind, most in (("run", 120_000), ("overlay", 90_000), ("figures", 16_000)):
        assert style + (BUILT / f"{kind}.js").stat().st_size < most, kind
