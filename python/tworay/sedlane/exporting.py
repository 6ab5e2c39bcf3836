"""A profile as rules for other machines: Linux's netem, FreeBSD's dummynet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from tworay import _native
from tworay.sedlane.access import HOP, QUEUE

if TYPE_CHECKING:
    from tworay.sedlane.fitting import Profile

# A full packet, bits.
PACKET = 12_000

Target = Literal["netem", "dummynet"]
TARGETS: tuple[Target, ...] = ("netem", "dummynet")


def export(profile: Profile, target: Target, device: str = "eth0") -> str:
    """Return a shell script that applies the profile to ``device`` until it is stopped."""
    return _netem(profile, device) if target == "netem" else _dummynet(profile, device)


def _head(profile: Profile, what: str) -> list[str]:
    return [
        "#!/bin/sh",
        f"# {what} from {profile.name}; written by `tworay sedlane fit --export`. Run it as root.",
        "# It repeats the changes of delay and loss of the traced network in a loop.",
        *_access(profile),
    ]


def _access(profile: Profile) -> list[str]:
    """Return what the reader must know about the access link."""
    if profile.access.kind == HOP:
        return ["# Its access link is a hop of 802.11b, which no rule can be: use such cards."]
    if profile.access.kind == "rate":
        return [f"# Its access link has {profile.access.rate}, and a queue of {QUEUE} packets."]
    return ["# It has no access link, so it carries what a sender's window allows: see --access."]


def _rate(profile: Profile) -> str | None:
    """Return the rate of the access link in the words of both tools; None without a limit."""
    rate = profile.access.rate.replace(" ", "")
    return rate[: -len("bps")] + "bit" if profile.access.kind == "rate" else None


def _steps(profile: Profile) -> list[tuple[float, int]]:
    """Return duration in seconds and class of each step, in order."""
    ends = [*profile.starts[1:], profile.duration]
    spans = zip(profile.starts, ends, profile.classes, strict=True)
    return [(float(end - start), int(one)) for start, end, one in spans if end > start]


def _netem(profile: Profile, device: str) -> str:
    lines = _head(profile, "netem rules")
    rate = _rate(profile)
    rules = "netem limit 100000"
    if rate is not None:
        # Packets on their way count as well.
        flying = _native.bits_per_second(profile.access.rate) * max(profile.rtt) / 2 / PACKET
        rules = f"netem limit {QUEUE + math.ceil(flying)} rate {rate}"
    lines += [
        "# netem delays only outgoing packets: run this on both ends, each for half of the round trip.",
        f"device=${{1:-{device}}}",
        "trap 'tc qdisc del dev \"$device\" root; exit' INT TERM",
        f'tc qdisc replace dev "$device" root {rules} delay 0ms',
        f'lane() {{ tc qdisc change dev "$device" root {rules} delay "$1" loss "$2"; sleep "$3"; }}',
        "while :; do",
    ]
    for span, one in _steps(profile):
        delay, loss = 500 * profile.rtt[one], 100 * profile.loss[one]
        lines.append(f"  lane {delay:.3f}ms {loss:.4f}% {span:.6f}")
    return "\n".join([*lines, "done", ""])


def _dummynet(profile: Profile, device: str) -> str:
    lines = _head(profile, "dummynet rules")
    lines += [
        "# One pipe per class and direction; the rules select the current pipes.",
        f"device=${{1:-{device}}}",
        "trap 'ipfw -q delete 1000 1001; exit' INT TERM",
    ]
    rate = _rate(profile)
    limit = "" if rate is None else f" bw {rate}/s queue {QUEUE}"
    for one, rtt in enumerate(profile.rtt):
        for way, loss in ((0, profile.loss[one]), (1, profile.loss_back[one])):
            lines.append(
                f"ipfw pipe {100 + 2 * one + way} config delay {500 * rtt:.0f}ms plr {loss:.6f}{limit}"
            )
    lines += [
        "lane() {",
        "  ipfw -q delete 1000 1001 2>/dev/null",
        '  ipfw -q add 1000 pipe $((100 + 2 * $1)) ip from any to any out via "$device"',
        '  ipfw -q add 1001 pipe $((101 + 2 * $1)) ip from any to any in via "$device"',
        '  sleep "$2"',
        "}",
        "while :; do",
    ]
    lines += [f"  lane {one} {span:.6f}" for span, one in _steps(profile)]
    return "\n".join([*lines, "done", ""])
