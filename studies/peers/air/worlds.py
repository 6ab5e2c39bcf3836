"""A string or a star of 802.11a/g/n/ac stations, as a job of ns-3 and as one of tworay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.peers import tools
from studies.peers.jobs import Job
from studies.peers.places import CACHE, NS3_AIR, ROOT, replace

if TYPE_CHECKING:
    from pathlib import Path

    from studies.peers.jobs import Result

START, WARM_UP = 1.0, 2.0
"""Seconds: the flows start, and what follows counts."""
NO_RTS = 65535
"""ns-3 has no larger RTS threshold; longer aggregates exceed it."""
CONTROLS = {"fixed": "fixed", "ideal": "ideal", "minstrel": "minstrel-ht"}
"""Rate controls by their name in ns-3."""


@dataclass(frozen=True)
class World:
    """The settings that both simulators get."""

    standard: str
    mcs: int = 7
    width: int = 20
    streams: int = 1
    guard: int = 800
    aggregate: int = 65535
    """Longest aggregate, bytes; 0: none."""
    rts: int = NO_RTS
    hops: int = 1
    stations: int = 0
    """Senders round one receiver, in place of the string."""
    spacing: float = 5.0
    app: str = "udp"
    rate: int = 0
    """Of each flow of datagrams, Mb/s; 0: more than the medium carries."""
    flows: int = 1
    control: str = "fixed"
    queue: str = "fifo"
    seconds: int = 6

    @property
    def qos(self) -> bool:
        """True if the stations have EDCA and aggregates."""
        return self.standard in ("n", "ac")

    @property
    def load(self) -> int:
        """Rate of each flow of datagrams, Mb/s."""
        return self.rate or (900 if self.qos and not self.stations else 60)

    @property
    def title(self) -> str:
        """The radio in words."""
        rate = f"MCS {self.mcs}" if self.qos else f"{(6, 9, 12, 18, 24, 36, 48, 54)[self.mcs]} Mb/s"
        parts = [f"802.11{self.standard}"]
        parts += [rate] if self.control == "fixed" else []
        if self.qos:
            parts.append(f"{self.width} MHz")
            parts += [f"{self.streams} streams"] if self.streams > 1 else []
            parts += ["short guard interval"] if self.guard == 400 else []
            parts.append(f"aggregates ≤ {self.aggregate} B" if self.aggregate else "single frames")
        return ", ".join(parts)

    def theirs(self, seed: int, **extra: str | float) -> Job:
        """Return a run of ns-3; ``extra`` are further options of the driver."""
        options: dict[str, str | float] = {"standard": self.standard}
        if self.control == "fixed":
            options["mcs"] = self.mcs
        else:
            options["control"] = self.control
        if self.qos:
            options |= {"width": self.width, "streams": self.streams, "guard": self.guard}
            options["aggregate"] = self.aggregate
        options["rts"] = self.rts
        options |= {"stations": self.stations} if self.stations else {"hops": self.hops}
        options |= {"spacing": self.spacing, "app": self.app}
        if self.app == "udp":
            options["rate"] = self.load
        options |= {"flows": self.flows, "queue": self.queue.replace("-", "")}
        options |= {"stop": self.seconds, "seed": seed} | extra
        command = [str(tools.NS3_AIR_BINARY), *(f"--{name}={value}" for name, value in options.items())]
        depends = (tools.ns3_version(), tools.digest(ROOT / NS3_AIR))
        return Job("ns-3", tuple(command), depends, self._weight)

    @property
    def _weight(self) -> float:
        megabits = self.load * 0.01 if self.app == "udp" else 0.5
        return self.seconds * (0.1 + 0.05 * self.stations + 0.05 * self.hops + megabits * 0.1)

    def ours(self, seed: int, **extra: str) -> Job:
        """Return a run of tworay; ``extra`` replaces keys of the radio and the MAC."""
        path = self.write(**extra)
        command = (tools.tworay_command(), "run", str(path), "--seed", str(seed), "--json")
        depends = (tools.tworay_build(), tools.digest(ROOT / path))
        return Job("tworay", command, depends, 0.5 + self.seconds / 30)

    def write(self, **extra: str) -> Path:
        """Write the scenario, and return its path."""
        text = self.scenario(**extra)
        words = [f"{self.standard}-{self.control}", f"{self.stations or self.hops}"]
        name = f"{'-'.join(words)}-{tools.fingerprint(text)}"
        path = CACHE / "air" / f"{name}.toml"
        if not (ROOT / path).is_file():
            replace(ROOT / path, text)
        return path

    def scenario(self, **extra: str) -> str:
        """Return the scenario; ``extra`` replaces keys of the tables radio and mac (``mac_queue``)."""
        radio: dict[str, str] = {
            "standard": f'"{self.standard}"',
            "rate": f'"{CONTROLS[self.control]}"',
            "tx_power": '"40mW"',
            "frequency": '"2.412GHz"' if self.standard == "g" else '"5.150GHz"',
            "tx_gain": '"0dB"',
            "rx_gain": '"0dB"',
        }
        if self.control == "fixed":
            radio["mcs"] = str(self.mcs)
        mac = {
            "basic_rate": '"24Mbps"' if self.qos else '"6Mbps"',
            "rts_threshold": f'"{self.rts}B"',
            "queue": f'"{self.queue}"',
            "queue_limit": "500",
            "arp": "false",
        }
        if self.qos:
            radio |= {"width": f'"{self.width}MHz"', "streams": str(self.streams)}
            radio["guard"] = '"short"' if self.guard == 400 else '"long"'
            mac |= {"max_aggregate": f'"{self.aggregate}B"', "lifetime": '"100s"'}
        for key, value in extra.items():
            table, _, name = key.partition("_")
            {"radio": radio, "mac": mac}[table][name] = value
        lines = [
            f'name = "air-{self.standard}"',
            f'summary = "{self.title}: as studies/peers/ns3/air.cc has it"',
            f'duration = "{self.seconds}s"',
            f'warmup = "{WARM_UP:g}s"',
            f"topology = {self._topology()}",
            f'routing = {{ protocol = "static", longest_hop = "{1.5 * self.spacing:g}m" }}',
            'tcp = { variant = "sack", mss = "1448B", window = "4MB", initial_window = 10, '
            'timestamps = true, receiver.acks = "delayed" }',
            "[radio]",
            *(f"{key} = {value}" for key, value in radio.items()),
            "[mac]",
            *(f"{key} = {value}" for key, value in mac.items()),
        ]
        for i in range(self.stations or self.flows):
            ends = (i + 1, 0) if self.stations else (0, self.hops)
            step = 0.01 if self.app == "tcp" else 0.001
            lines += ["[[flow]]", f"from = {ends[0]}", f"to = {ends[1]}", f'start = "{START + step * i:g}s"']
            if self.app == "udp":
                lines += ['app = "cbr"', f'rate = "{self.load}Mbps"', 'size = "1460B"']
        return "\n".join(lines) + "\n"

    def _topology(self) -> str:
        if not self.stations:
            return f'{{ kind = "string", hops = {self.hops}, spacing = "{self.spacing:g}m" }}'
        turns = [2 * math.pi * i / self.stations for i in range(1, self.stations + 1)]
        places = [(self.spacing * math.cos(turn), self.spacing * math.sin(turn)) for turn in turns]
        around = "".join(f", [{x:.4f}, {y:.4f}]" for x, y in places)
        return f'{{ kind = "explicit", positions = [[0, 0]{around}] }}'


def goodput(result: Result) -> float:
    """Return the goodput of all flows of either simulator, Mb/s."""
    return math.fsum(flow["goodput_bps"] for flow in result["flows"]) / 1e6
