"""A predictor of contention for TCP-Probing: tworay run wired.toml --tcp predictor.py:Vegas.

TCP-Probing asks it at each loss (Psaras et al., §4.2): True recovers as Reno does, False probes. This one is
the paper's own, so that it gives the same result as the built-in probing, bit for bit.
"""

import tworay


class Vegas(tworay.LossPredictor):
    probing = "probing"
    threshold = 4  # segments

    def __init__(self):
        self.best = float("inf")
        self.last = 0.0

    def on_rtt(self, state, rtt):
        self.last = rtt.exact
        self.best = min(self.best, rtt.exact)

    def contention(self, state, loss):
        if self.last <= 0:
            return False
        window = min(state.cwnd, state.advertised)
        rate = window / self.best - window / self.last
        return rate * self.best > self.threshold
