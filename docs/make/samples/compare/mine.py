"""A variant for the examples of the page: New Reno that halves on loss and grows half as fast."""

import tworay


class Mine(tworay.CongestionControl):
    """Grows by half of what the standard grows by, once past slow start."""

    recovery = "newreno"

    def on_ack(self, state: tworay.SenderState, ack: tworay.AckEvent) -> tworay.Window | float:
        """Return the window after an acknowledgment."""
        slow_start = state.cwnd < state.ssthresh
        return ack.standard if slow_start or not ack.may_grow else (ack.standard.cwnd + state.cwnd) / 2
