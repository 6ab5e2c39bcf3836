"""Slow congestion avoidance, SCA(10), as a variant of one's own: tworay run string-4 --tcp sca.py:SCA.

After each ACK that grows the window in congestion avoidance, the next ten do not (Papanastasiou 2006,
algorithm 2). The built-in newreno+sca(10) gives the same result, bit for bit.
"""

import tworay


class SCA(tworay.CongestionControl):
    recovery = "newreno"
    theta = 10

    def __init__(self):
        self.count = 0
        self.was_slow_start = True

    def on_ack(self, state, ack):
        slow_start = state.cwnd < state.ssthresh
        if self.was_slow_start and not slow_start:
            self.count = 0
        self.was_slow_start = slow_start
        if slow_start or not ack.may_grow:
            return ack.standard
        grows = self.count == 0
        self.count = 0 if self.count >= self.theta else self.count + 1
        return ack.standard if grows else state.window

    def on_loss(self, state, loss):
        self.count = 0  # and the standard reduction

    def on_rto(self, state, rto):
        self.count = 0
