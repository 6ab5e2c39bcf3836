"""The hosts' own link to the emulated network: TCP-WELCOME's laptop had a hop of 802.11b (§V.B, figure 8).

A profile's classes tell how long packets took and how many were lost, and nothing about how many fit.
Without a link that limits them a sender fills any window, and carries many times what the traced network
did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay.sedlane.traces import Trace

# Rate and queue of the wire without an access link: large enough not to limit anything.
UNLIMITED, NO_QUEUE = "1Gbps", 100_000
# Dummynet's own default, in packets.
QUEUE = 50
HOP, TRACED, NONE = "802.11b", "traced", "none"

FLOW = "[[flow]]\nfrom = 0\nto = {to}\n\n"
WIRE = '[[wire]]\nfrom = {at}\nto = {to}\nrate = "{rate}"\nqueue = {queue}\n\n'
# The laptop and the emulator stand 10 m apart; the receiver is on the wire alone. Rates and preamble are
# those of a card of that time: data at 11 Mb/s, long preamble, no RTS.
RADIO = """\
[topology]
kind = "explicit"
positions = [[0, 0], [10, 0], [100000, 0]]

[mac]
data_rate = "11Mbps"
basic_rate = "2Mbps"
rts_threshold = "3000B"

"""


class Access(NamedTuple):
    """An access link: none, a rate in front of the classes, a hop of 802.11b, or the rate of the trace."""

    kind: str = NONE
    rate: str = UNLIMITED

    @classmethod
    def parse(cls, words: str) -> Access:
        """Read what follows ``--access``.

        Raises:
            InputError: it is not one of the words, or a rate such as 2Mbps.

        """
        if words in (NONE, HOP, TRACED):
            return cls(words)
        if not words[:1].isdigit() or not words.lower().endswith("bps"):
            raise InputError(
                f"--access {words}: allowed are {NONE}, {HOP}, {TRACED} (the narrowest link of the trace), "
                "or a rate such as 2Mbps"
            )
        return cls("rate", words)

    def of(self, trace: Trace) -> Access:
        """Return the link with its rate in numbers.

        Raises:
            InputError: the rate is that of the trace, which has samples only.

        """
        if self.kind != TRACED:
            return self
        if trace.rate is None:
            raise InputError(
                f"--access {TRACED}: {trace.name} does not tell when its packets arrived; trace it with "
                "`tworay run --record --out DIR`, or name a rate"
            )
        return Access("rate", f"{trace.rate / 1e3:.0f}kbps")

    def toml(self) -> str:
        """Return nodes, flow and wire of a profile's scenario; the wire's classes follow."""
        if self.kind == HOP:
            return RADIO + FLOW.format(to=2) + WIRE.format(at=1, to=2, rate=UNLIMITED, queue=NO_QUEUE)
        queue = NO_QUEUE if self.kind == NONE else QUEUE
        return FLOW.format(to=1) + WIRE.format(at=0, to=1, rate=self.rate, queue=queue)


NO_ACCESS = Access()
