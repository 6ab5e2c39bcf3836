"""Writes the page on live networks from the measurements."""

from __future__ import annotations

import math
from statistics import median
from typing import Any

import tworay
from tworay.papers.markdown import table

SITUATIONS = ("congestion", "interference", "link-failure", "signal-loss")
KERNELS = ("reno", "cubic", "bbr")
SIMULATED = ("newreno", "sack", "welcome")
# Tolerance for the kernel's reno beside the simulated ones on a static string.
NEAR = 0.25

HEAD = [
    "",
    "goodput, kb/s",
    "segments",
    "retransmitted, %",
    "timeouts",
    "RTT, ms",
    "data lost, by true cause",
]

TITLE = """# Real kernels over simulated air

How do the TCPs of this machine's kernel perform in the loss situations of the TCP-WELCOME paper
(Seddik-Ghaleb, Ghamri-Doudane and Senouci), what causes their losses, and how well does the machine keep
time? To run your own: [live networks](../guide/live.md)."""

FOUR = """## The four situations

Every TCP flow of the scenario is an iperf3 transfer between two kernels. Goodput is given per flow, from its
first segment to its last acknowledgment. The rows below the kernels are the same scenario with simulated
TCPs. The kernels' segments carry 12 bytes of timestamps. Their windows are not limited to the scenario's 20
segments, so they fill the interface queue of 50 packets if nothing else limits them; this explains the higher
RTT, and the congestion. The causes are those of the ledger; no kernel knows them."""

WHY = """They differ because the kernel's reno is not textbook Reno. It repairs with SACK, RACK and tail
loss probes, reduces the window proportionally (PRR), starts with ten segments, has a minimum RTO of 200 ms
and exact timers, and detects spurious timeouts (F-RTO). Its segments are 12 bytes longer. Above all, its
window has no limit: it overruns the queue of 50 packets in slow start, loses many segments at once, and
then grows by one segment per round trip of more than a second, while the simulated window stays below the
queue."""

REPAIRED = {
    "within": "Repaired within the retransmission timeout",
    "after": "Repaired after the retransmission timeout",
}
OUTAGES = """## A broken path under the kernel's WELCOME

The relay of the situation link-failure goes off at 20 s. In the first case AODV finds the longer way at
once: later segments arrive, duplicate ACKs return before the timer ends, and the round trips before the
break show no trend. That is the paper's case (i), a loss on the wireless channel, and so the kernel's
`tworay_welcome` and the simulated sender guess `channel` (or `congestion` after rising round trips): §IV.A
has no signal that tells a repaired path from an errored frame. If the whole window was lost (the simulated
one has at most 20 segments), the timer ends after all, and the guess is `link-failure`. In the second case
the longer way is missing, too, until 24 s. The timer ends, and the guess is `link-failure`, or `congestion`
if round trips had grown before the break, as those of a kernel do that fills the queue; it is repeated at
each further timeout. Losses found after the path is back bring duplicate ACKs, and with them `channel`. A
timeout is booked with the cause of its segment's last known loss: it may be `congestion`, if the queue had
lost that segment just before the break and routing keeps the copies, and `none` if the segment was held up
and arrived later. Counted are guesses from the break until 1 s after new data is acknowledged."""

ROUTINGS = ("static", "olsr", "aodv", "dsr")
FREEZE = """## Freezing an unmodified kernel

The only relay of a cubic transfer is off from 20 s to 30 s. After how many seconds (of the 25 observed) is
new data acknowledged? With `--freeze` the simulated network closes the window and probes
every 200 ms; without it, the kernel's timer has backed off. The repair is the time at which the sender's node
has a route again; over fixed routes, which are never lost, the time at which a packet from the peer gets
through. The sender is sampled every 50 to 100 ms. Each figure is the median of {runs} runs with other seeds,
with the least and the largest."""
REPAIR = """The time between the link's return and the repair is that of the routing protocol. OLSR must
first hear the relay's HELLO messages and spread them. AODV and DSR search again only after a waiting time
that doubles with each failed search (RFC 3561 §6.3: 2.8, 5.6 and 11.2 s), and the relay is silent until it
receives a request. AODV's last request before its longest wait is sent about 10 s after the break. If that
is just after the link's return, the route is back at once, with or without a freeze; if it is just before,
11 s later. The simulated network could notify the sender earlier only by looking at the simulated radios,
which no real node can do, or by changing the routing protocol. It does neither.

The largest value over OLSR is a run in which the capture shows every probe arriving, but the peer's node had
no route back before the relay's next HELLO message, 2 s after the sender's node had its own."""


def page(known: dict[str, Any], seconds: int, together: int) -> str:
    """Return the page; ``seconds`` is the length of a situation, ``together`` the networks at a time."""
    parts = [TITLE]
    if "study" in known:
        parts += study(known["study"], seconds, together)
    if "freeze" in known:
        parts += freeze(known["freeze"])
    if "outages" in known:
        parts += outages(known["outages"])
    if "long" in known:
        parts += long_run(known["long"])
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def made(what: dict[str, Any], command: str) -> str:
    """Return a sentence on the origin of the figures."""
    return (
        f"Made by `{command}` on {what['date']} with tworay {tworay.__version__}, Linux {what['kernel']}, "
        f"{what['cores']} cores, load {what['load']:.0f}."
    )


def rows(runs: dict[str, Any], name: str) -> str:
    """Return the table of a situation."""
    lines = [row(f"kernel {kernel}", runs[f"{name}/{kernel}"]) for kernel in KERNELS]
    lines += [row(f"simulated {variant}", runs[f"{name}/{variant}"]) for variant in SIMULATED]
    return "\n".join(table(HEAD, lines))


def row(name: str, one: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    lost = ", ".join(f"{cause} {n}" for cause, n in sorted(one["lost"].items(), key=lambda item: -item[1]))
    rates = " + ".join(f"{rate / 1e3:.0f}" for rate in one["goodput_bps"])
    share = 100 * one["again"] / one["sent"] if one["sent"] else 0.0
    rtt = "" if one["rtt_seconds"] is None else f"{1e3 * one['rtt_seconds']:.0f}"
    return [name, rates, str(one["sent"]), f"{share:.1f}", str(one["timeouts"]), rtt, lost or "none"]


def study(found: dict[str, Any], seconds: int, together: int) -> list[str]:
    """Return the paragraphs on the measurements of `make live-study`."""
    runs = found["runs"]
    parts = [made(found, "make live-study"), FOUR, f"{seconds} s each."]
    for name in SITUATIONS:
        parts += [f"### {name}", rows(runs, name)]
    kernel = runs["string/reno"]["goodput_bps"][0]
    ratios = {one: kernel / runs[f"string/{one}"]["goodput_bps"][0] for one in ("newreno", "sack")}
    near = all(abs(ratio - 1) <= NEAR for ratio in ratios.values())
    said = " and ".join(f"{ratio:.2f} times that of simulated {one}" for one, ratio in ratios.items())
    parts += [
        "## Does the kernel's reno agree with the simulated one?",
        f"Over `string-4` with fixed routes the goodput of the kernel's reno is {said}:\n"
        f"{'within' if near else '**not** within'} 25 %.",
        rows(runs, "string"),
        WHY,
    ]
    late = [one["lateness"] for one in runs.values() if "lateness" in one]
    least, most = (1e3 * pick(one["p99"] for one in late) for pick in (min, max))
    parts += [
        "## Lateness",
        f"Over these {len(late)} networks of {seconds} s, {together} at a time, beside other work: "
        f"p99 {least:.2f} to\n{most:.2f} ms, at most {1e3 * max(one['max'] for one in late):.1f} ms.",
    ]
    return parts


def freeze(found: dict[str, Any]) -> list[str]:
    """Return the paragraphs on freezes."""
    lines = []
    for routing in ROUTINGS:
        frozen, plain = (found["runs"][f"{routing}/{frozen}"] for frozen in (True, False))
        columns = [
            (frozen, "after_repair_seconds"),
            (frozen, "after_link_seconds"),
            (plain, "after_link_seconds"),
        ]
        lines.append([routing, *(spread([run[key] for run in runs]) for runs, key in columns)])
    head = ["routing", "--freeze, after the repair", "--freeze, after the link's return", "without, after it"]
    heading, text = FREEZE.format(runs=len(found["runs"][f"{ROUTINGS[0]}/True"])).split("\n\n", 1)
    return [heading, made(found, "make live-study"), text, "\n".join(table(head, lines)), REPAIR]


def outages(found: dict[str, Any]) -> list[str]:
    """Return the paragraphs on a broken path under the kernel's WELCOME."""
    parts = [OUTAGES.split("\n\n", 1)[0], made(found, "make live-outages"), OUTAGES.split("\n\n", 1)[1]]
    for case, heading in REPAIRED.items():
        both = {who: found["runs"][f"{who}/{case}"] for who in ("kernel", "simulated")}
        number = len(both["kernel"])
        parts.append(f"### {heading}")
        lines = []
        for who, runs in both.items():
            counted: dict[tuple[str, str], int] = {}
            for run in runs:
                for guess, cause, count in run["guesses"]:
                    counted[guess, cause] = counted.get((guess, cause), 0) + count
            lines += [[who, guess, cause, str(count)] for (guess, cause), count in sorted(counted.items())]
        parts.append("\n".join(table(["sender", "guess", "true cause", "guesses"], lines)))
        said = "; ".join(
            f"{who}: {spread([run['resumed_seconds'] for run in runs])} s" for who, runs in both.items()
        )
        parts.append(f"First new data acknowledged after the break, median of {number} runs: {said}.")
    return parts


def spread(times: list[float | None]) -> str:
    """Return median, least and largest of times in seconds; None stands for a run without it."""
    known = sorted(math.inf if time is None else time for time in times)
    said = ["not within 25 s" if math.isinf(t) else f"{t:.2f}" for t in (median(known), known[0], known[-1])]
    return f"{said[0]} ({said[1]} to {said[2]})"


def long_run(found: dict[str, Any]) -> list[str]:
    """Return the paragraphs on the measurements of `make live-long`."""
    soak, transfer = found["soak"], found["transfer"]
    late = soak["lateness"]
    return [
        "## The long run",
        made(found, "make live-long"),
        f"{transfer['megabytes']} MB over four hops ({transfer['tcp']}): the SHA-256 agrees at both "
        f"ends; {transfer['goodput_bps'] / 1e3:.0f} kb/s,\n{transfer['retransmitted']} retransmissions, "
        f"lateness p99 {1e3 * transfer['lateness']['p99']:.2f} ms.",
        f"Soak: {soak['seconds']:.0f} s with five flows among 50 moving nodes (`square-50`, AODV), "
        f"{soak['connections']} connections,\n{soak['delivered_megabytes']:.1f} MB delivered. Lateness over "
        f"{soak['wakeups']:,} wake-ups: median {1e3 * late['p50']:.3f} ms, p99\n"
        f"{1e3 * late['p99']:.3f} ms, at most {1e3 * late['max']:.1f} ms. The engine took "
        f"{100 * soak['cpu_share']:.0f} % of a core. Memory: {soak['megabytes_first_third']:.0f} MB on\n"
        f"average over the first third, {soak['megabytes_last_third']:.0f} MB over the last. No namespace, "
        "device or descriptor remained.",
    ]
