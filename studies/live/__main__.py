"""Measures kernels in the loss situations of the TCP-WELCOME paper: make live-study, make live-long.

The first takes about fifteen minutes, the second ten (real time). Each stores its figures in
docs/studies/live.json and writes docs/studies/live.md from it. Poor performance of a kernel is no failure;
wrong bytes are, and so are processes, namespaces or devices that remain.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gc
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

import tworay
from studies.live import outages, station
from studies.live.page import ROUTINGS, page
from tworay.live import Network, Options, require
from tworay.live.diagnosing import Listener, diagnose

ROOT = Path(__file__).parents[2]
PAGE, DATA = ROOT / "docs/studies/live.md", ROOT / "docs/studies/live.json"
SITUATIONS = ("congestion", "interference", "link-failure", "signal-loss")
KERNELS = ("reno", "cubic", "bbr")
SIMULATED = ("newreno", "sack", "welcome")
SECONDS = 70
STRING = "string-4"
STATIC = {"routing.protocol": "static"}
# Delay of the relay's outage, so that OLSR knows the routes, and time observed after its return, seconds.
LATER, WATCHED = 16.0, 25.0
# Seeds of the freeze.
FREEZES = 5
# Number of networks at a time: in real time each needs a small part of a processor.
TOGETHER = 4


def flows_of(world: tworay.Scenario) -> list[dict[str, Any]]:
    """Return the TCP flows of a scenario."""
    flows = tomllib.loads(world.to_toml())["flow"]
    return [flow for flow in flows if flow.get("app", "ftp") == "ftp"]


def iperf(world: tworay.Scenario, options: Options, seconds: float) -> tworay.Run:
    """Run every TCP flow of a scenario as an iperf3 transfer between kernels; judge their guesses, if any."""
    flows = flows_of(world)
    with Network(world, options) as network, Listener(options.congestion) as listener:
        for number, flow in enumerate(flows):
            network.serve(flow["to"], f"exec iperf3 -s -p {5201 + number} >/dev/null 2>&1")
        while network.status.sim_seconds < 1.0:
            time.sleep(0.01)
        for number, flow in enumerate(flows):
            wait = float(str(flow["start"]).removesuffix("s")) - 1.0
            client = f"iperf3 -c {network.address(flow['to'])} -p {5201 + number} -t {seconds}"
            # On a busy machine the server may not be ready yet.
            words = f"sleep {wait}; until {client} >/dev/null 2>&1; do sleep 0.2; done"
            network.start(flow["from"], ["sh", "-c", words], apart=True)
        until = seconds + 1.0
        while (status := network.status).sim_seconds < until and status.running:
            time.sleep(0.1)
        run, problem = network.finish()
        namespaces = network.namespaces
    if problem is not None:
        raise SystemExit(f"{world.name}: {problem}")
    diagnose(run, listener.events, namespaces)
    return run


def transfers(summary: dict[str, Any], ends: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return the transfer of each flow, the largest connection: iperf3 has a small one for control, too."""
    found = []
    for one, other in ends:
        flows = [flow for flow in summary["flows"] if (flow["from"], flow["to"]) == (one, other)]
        found.append(max(flows, key=lambda flow: flow["sent_segments"], default=None))
    return [flow for flow in found if flow is not None]


def digest(run: tworay.Run, ends: list[tuple[int, int]]) -> dict[str, Any]:
    """Return the figures of a live or simulated run; rates are over the duration of the transfer."""
    found = transfers(run.summary, ends)
    acked = dict(run.tables["series"].group_by("flow").agg(pl.col("acked_bytes").max()).iter_rows())
    shown = {
        "goodput_bps": [8 * acked.get(flow["id"], 0) / (flow["connection_seconds"] or 1.0) for flow in found],
        "sent": sum(flow["sent_segments"] for flow in found),
        "again": sum(flow["retransmitted_segments"] for flow in found),
        "timeouts": sum(flow["timeouts"] for flow in found),
        "lost": {cause: n["data"] for cause, n in run.summary["ledger"].items() if n["data"]},
        "rtt_seconds": found[0]["mean_rtt_seconds"] if found else None,
    }
    if "live" in run.summary:
        shown["lateness"] = quantiles(run)
    return shown


def quantiles(run: tworay.Run) -> dict[str, float]:
    """Return median, 99th percentile and maximum of the engine's lateness, seconds."""
    late = run.summary["live"]["lateness"]
    return {key: late[f"{key}_seconds"] for key in ("p50", "p99", "max")}


def situation(name: str, kernel: str) -> dict[str, Any]:
    """Run a situation with a congestion control of the kernel."""
    world = tworay.load(name, set={"duration": f"{SECONDS}s"})
    ends = [(flow["from"], flow["to"]) for flow in flows_of(world)]
    return digest(iperf(world, Options(congestion=kernel, most_late=0.5), SECONDS - 1), ends)


def simulated(name: str, variant: str, settings: dict[str, str]) -> dict[str, Any]:
    """Run a scenario with a simulated TCP."""
    world = tworay.load(name, tcp=variant, set={"duration": f"{SECONDS}s", **settings})
    ends = [(flow["from"], flow["to"]) for flow in flows_of(world)]
    return digest(tworay.run(world, series=True), ends)


def string(kernel: str) -> dict[str, Any]:
    """Run the static string with a congestion control of the kernel."""
    world = tworay.load(STRING, set={"duration": f"{SECONDS}s", **STATIC})
    ends = [(flow["from"], flow["to"]) for flow in flows_of(world)]
    return digest(iperf(world, Options(congestion=kernel, most_late=0.5), SECONDS - 1), ends)


def freeze(routing: str, frozen: bool, seed: int) -> dict[str, Any]:
    """Return when data flows again after a relay was off for 10 s.

    Counted from the relay's return and from the repair: the time at which the sender's node has a route
    again, or, if its routing never lost it, at which the first packet from the peer gets through.
    """
    back = station.BACK_AT + LATER
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "off.toml"
        file.write_text(station.off(LATER) + f'[routing]\nprotocol = "{routing}"\n', encoding="utf-8")
        world = tworay.load(file)
        options = Options(congestion="cubic", freeze=frozen, seed=seed, most_late=0.5)
        with Network(world, options) as network:
            network.serve(2, "exec iperf3 -s >/dev/null 2>&1")
            network.start(
                0,
                ["sh", "-c", "until iperf3 -c 10.0.0.2 -t 80 >/dev/null 2>&1; do sleep 0.2; done"],
                apart=True,
            )
            while (status := network.status).sim_seconds < back + WATCHED:
                if status.sim_seconds > 0 and not status.running:
                    break
                time.sleep(0.1)
            run, problem = network.finish()
    if problem is not None:
        raise SystemExit(f"freeze over {routing}, seed {seed}: {problem}")
    series = run.tables["series"].filter(pl.col("acked_bytes") > 100)
    before = series.filter(pl.col("t_s") < back)["acked_bytes"].max()
    after = series.filter((pl.col("t_s") >= back) & (pl.col("acked_bytes") > before))["t_s"].min()
    # The longest freeze is the transfer's; iperf3's control connection may be frozen too.
    freezes = sorted(run.summary["live"]["freezes"], key=lambda one: one["from_seconds"] - one["to_seconds"])
    repaired = None if not freezes else freezes[0]["route_back_seconds"] or freezes[0]["to_seconds"]
    data = None if after is None else float(str(after))
    return {
        "after_link_seconds": None if data is None else data - back,
        "after_repair_seconds": None if data is None or repaired is None else data - repaired,
    }


def side_by_side(jobs: dict[str, Any]) -> dict[str, Any]:
    """Run jobs (a function with its arguments), ``TOGETHER`` at a time."""
    with ThreadPoolExecutor(TOGETHER) as pool:
        pending = {key: pool.submit(*job) for key, job in jobs.items()}
        return {key: future.result() for key, future in pending.items()}


def freezes() -> dict[str, Any]:
    """Measure the freezes of `make live-study`: a list of runs by routing and whether the air froze."""
    runs = [(r, f, s) for s in range(1, FREEZES + 1) for r in ROUTINGS for f in (True, False)]
    found = side_by_side({f"{r}/{f}/{s}": (freeze, r, f, s) for r, f, s in runs})
    by_kind: dict[str, Any] = {f"{r}/{f}": [] for r, f, _ in runs}
    for r, f, s in runs:
        by_kind[f"{r}/{f}"].append(found[f"{r}/{f}/{s}"])
    return by_kind


def study() -> dict[str, Any]:
    """Measure everything of `make live-study`."""
    jobs: dict[str, Any] = {
        **{f"{name}/{kernel}": (situation, name, kernel) for name in SITUATIONS for kernel in KERNELS},
        **{f"string/{kernel}": (string, kernel) for kernel in KERNELS},
    }
    found = side_by_side(jobs)
    for variant in SIMULATED:
        found |= {f"{name}/{variant}": simulated(name, variant, {}) for name in SITUATIONS}
        found[f"string/{variant}"] = simulated(STRING, variant, STATIC)
    return found


def outage(case: str, seed: int) -> dict[str, Any]:
    """Return what the kernel's WELCOME guesses after the relay of a transfer has failed."""
    options = Options(congestion=outages.KERNEL, seed=seed, most_late=0.5)
    return outages.digest(iperf(outages.scenario(case), options, outages.SECONDS - 5.0))


def outage_cases() -> dict[str, Any]:
    """Measure both cases of `make live-outages`: a list of runs by case, and simulated runs beside them."""
    runs = [(case, seed) for case in outages.CASES for seed in range(1, outages.SEEDS + 1)]
    with outages.controller():
        found = side_by_side({f"{case}/{seed}": (outage, case, seed) for case, seed in runs})
    by_case: dict[str, Any] = {}
    for case, seed in runs:
        by_case.setdefault(f"kernel/{case}", []).append(found[f"{case}/{seed}"])
        run = tworay.run(outages.scenario(case, outages.VARIANT), seed=seed)
        by_case.setdefault(f"simulated/{case}", []).append(outages.digest(run))
    return by_case


def long_transfer(megabytes: int) -> dict[str, Any]:
    """Transfer megabytes over four hops and compare the SHA-256 at both ends."""
    size = megabytes * 1_000_000
    world = tworay.load(STRING)
    server = f"exec {sys.executable} {station.__file__} serve {size}"
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place, Network(world, Options(most_late=0.5)) as network:
        out = Path(place) / "digest"
        network.serve(4, server)
        command = f"curl -s --retry 9 --retry-connrefused http://10.0.0.4:8000/ | sha256sum > {out}"
        program = network.start(0, ["sh", "-c", command])
        while program.wait(1.0) is None:
            pass
        run, problem = network.finish()
        same = out.read_text().split()[0] == hashlib.sha256(station.content(size)).hexdigest()
    if problem is not None or not same:
        raise SystemExit(f"{megabytes} MB over four hops: {problem or 'the digests differ'}")
    flow = max(run.summary["flows"], key=lambda one: one["sent_segments"])
    return {
        "megabytes": megabytes,
        "seconds": time.monotonic() - began,
        "tcp": flow["tcp"],
        "goodput_bps": 8 * size / flow["connection_seconds"],
        "retransmitted": flow["retransmitted_segments"],
        "lateness": quantiles(run),
    }


def resident(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return float(line.split()[1]) / 1024
    return 0.0


def soak(seconds: float) -> dict[str, Any]:
    """Run five flows over 50 moving nodes; return memory, lateness and counts."""
    world = tworay.load("square-50", set={"duration": f"{seconds + 10:.0f}s"})
    pairs = [(0, 1), (10, 11), (20, 21), (30, 31), (40, 41)]
    nodes = [node for pair in pairs for node in pair]
    memory = []
    with Network(world, Options(nodes=nodes, most_late=0.5, limit=seconds + 60)) as network:
        for one, other in pairs:
            network.serve(other, "exec iperf3 -s >/dev/null 2>&1")
            again = (
                f"while :; do iperf3 -c {network.address(other)} -t 20 --connect-timeout 5000; sleep 1; done"
            )
            network.start(one, ["sh", "-c", f"{again} >/dev/null 2>&1"], apart=True)
        while (status := network.status).sim_seconds < seconds:
            if not status.running and status.sim_seconds > 0:
                break
            memory.append((status.sim_seconds, resident(os.getpid())))
            time.sleep(5.0)
        run, problem = network.finish()
    if problem is not None:
        raise SystemExit(f"soak: {problem}")
    third = len(memory) // 3
    return {
        "seconds": seconds,
        "megabytes_first_third": sum(m for _, m in memory[:third]) / third,
        "megabytes_last_third": sum(m for _, m in memory[-third:]) / third,
        "connections": len(run.summary["flows"]),
        "delivered_megabytes": network_bytes(run),
        "events_per_second": run.summary["events"] / seconds,
        "cpu_share": run.summary["cpu_seconds"] / seconds,
        "lateness": quantiles(run),
        "wakeups": run.summary["live"]["lateness"]["wakeups"],
    }


def held() -> set[str]:
    """Return namespaces, devices and sockets held by this process, and its children."""
    found = set()
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            target = str(one.readlink())
            if target.startswith(("net:", "/dev/net/tun", "socket:")):
                found.add(target)
    children = subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True, check=False)
    names = subprocess.run(
        ["ps", "-o", "args=", "-p", ",".join(children.stdout.split()) or "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    return found | {line for line in names.stdout.splitlines() if not line.startswith(("ps ", "pgrep "))}


def network_bytes(run: tworay.Run) -> float:
    """Return the payload delivered, MB."""
    series = run.tables["series"].group_by("flow").agg(pl.col("acked_bytes").max())
    return float(series["acked_bytes"].sum()) / 1e6


def main() -> None:
    """Do the selected measurement and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("part", choices=["study", "freeze", "outages", "long", "page"])
    arguments.add_argument("--seconds", type=float, default=600.0, help="length of the soak test, seconds")
    arguments.add_argument("--megabytes", type=int, default=20)
    asked = arguments.parse_args()
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.is_file() else {}
    if asked.part != "page":
        require()
    machine = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "kernel": os.uname().release,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    if asked.part in ("study", "freeze"):
        known["freeze"] = machine | {"runs": freezes()}
    if asked.part in ("study", "outages"):
        known["outages"] = machine | {"runs": outage_cases()}
    if asked.part == "study":
        known["study"] = machine | {"runs": study()}
    elif asked.part == "long":
        before = held()
        with ThreadPoolExecutor(1) as pool:
            transfer = pool.submit(separately, "transfer", asked.megabytes)
            known["long"] = machine | {"soak": soak(asked.seconds), "transfer": transfer.result()}
        gc.collect()
        time.sleep(2.0)
        known["long"]["left"] = sorted(held() - before)
    if DATA.is_file():
        # The other part may have finished in the meantime.
        known = json.loads(DATA.read_text(encoding="utf-8")) | {
            part: known[part]
            for part in known
            if part == asked.part or (part in ("freeze", "outages") and asked.part == "study")
        }
    DATA.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    if asked.part == "long" and known["long"]["left"]:
        raise SystemExit(f"left behind: {', '.join(known['long']['left'])}")
    PAGE.write_text(page(known, SECONDS, TOGETHER), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")


def separately(what: str, amount: float) -> dict[str, Any]:
    """Run a part in a child process, so that it does not affect this one's memory."""
    code = (
        "import json; from studies.live import __main__ as study; "
        f"print(json.dumps(study.long_{what}({amount})))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip())
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
