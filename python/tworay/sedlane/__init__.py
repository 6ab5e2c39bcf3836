"""SEDLANE: delays and losses of a network as classes of packets, replayed on a wire.

After Seddik-Ghaleb, Ghamri-Doudane and Senouci (TCP-WELCOME), §V.C.
"""

from tworay.sedlane.access import Access
from tworay.sedlane.checking import Check, check
from tworay.sedlane.fitting import MOST_CLASSES, Profile, fit
from tworay.sedlane.reading import read_trace
from tworay.sedlane.traces import Trace

__all__ = ["MOST_CLASSES", "Access", "Check", "Profile", "Trace", "check", "fit", "read_trace"]
