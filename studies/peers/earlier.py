"""Earlier measurements of ns-2 and ns-3, if available: the peers must reproduce them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from studies.peers.places import reference
from studies.peers.plan import VARIANTS
from studies.peers.simulators import acked, ns2_counted_string, ns2_string, ns3, retransmitted, timeouts
from studies.peers.verdicts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from studies.peers.jobs import Job, Results

NAMES = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "Newreno", "sack": "Sack1"}


class Earlier:
    """Chapter: runs of the peers compared with CSV files of earlier runs."""

    def __init__(self, done: Results) -> None:
        self._done = done

    def section(self, directory: Path) -> Section:
        """Return the chapter, made from the runs of the other chapters."""
        section = Section("The peers themselves", "every run equal to the earlier one of the same seed")
        section.text(
            "If earlier measurements are available (`TWORAY_REFERENCE`), the drivers used here must "
            "reproduce them exactly: "
            "segments acknowledged and retransmitted, timeouts, and collisions and drops by kind."
        )
        rows = []
        for name in ("ns2_chain_static_full", "ns2_chain_aodv_full", "ns2_rts_strategies", "ns3_chain_sack"):
            pairs = list(self._pairs(directory / f"{name}.csv"))
            equal = sum(ours == theirs for ours, theirs in pairs)
            cell = section.judge(name, {"runs": equal == len(pairs)}) if pairs else "not judged"
            rows.append([name, str(len(pairs)), str(equal), cell])
        section.table(["file", "runs in both", "equal", ""], rows)
        return section

    def _pairs(self, path: Path) -> Iterator[tuple[list[int], list[int]]]:
        if not path.is_file():
            return
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                found = self._job(row)
                if found is not None and found in self._done:
                    yield self._numbers(row, found)

    def _job(self, row: dict[str, str]) -> Job | None:
        hops, seed, rts = int(row["hops"]), int(row["seed"]), int(row["rts"])
        if row["sim"] == "ns3":
            return ns3(string=hops, routing=row["routing"].lower(), rts=rts, seed=seed)
        routing = "aodv" if row["routing"] == "AODV" else "static"
        variants = [name for name in VARIANTS if NAMES[name] == row["variant"]]
        if not variants:
            return None
        if "COL_RTSCTS" in row:
            return ns2_counted_string(hops, variants[0], seed, routing=routing, rts=rts)
        return ns2_string(hops, variants[0], seed, routing=routing, rts=rts)

    def _numbers(self, row: dict[str, str], job: Job) -> tuple[list[int], list[int]]:
        result = self._done[job]
        ours, columns = [acked(result)], ["acked"]
        if row["sim"] == "ns2":
            ours += [retransmitted(result), timeouts(result)]
            columns += ["rexmit", "timeouts"]
        if "COL_RTSCTS" in row:
            ours += [*result["mac"]["collisions"].values(), *result["mac"]["drops"].values()]
            columns += ["COL_RTSCTS", "COL_DATA", "COL_ACK", "RET_RTS", "RET_tcp", "RET_ack"]
        return ours, [int(float(row[column])) for column in columns]


def earlier(done: Results) -> Section | None:
    """Return the chapter, or ``None`` without earlier measurements."""
    directory = reference()
    return Earlier(done).section(directory) if directory else None
