"""SEDLANE: a network's delays and losses as classes of packets, replayed on a link (TCP-WELCOME, §V.C)."""

from tworay.sedlane.fitting import MOST_CLASSES, Profile, fit
from tworay.sedlane.traces import Trace, read_trace

__all__ = ["MOST_CLASSES", "Profile", "Trace", "fit", "read_trace"]
