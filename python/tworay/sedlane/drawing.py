"""Draws a trace and the classes of its profile over time (TCP-WELCOME, figure 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tworay.showing.pictures import COLOURS, INCHES, SETTINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tworay.sedlane.fitting import Profile
    from tworay.sedlane.traces import Trace


def draw(trace: Trace, profile: Profile) -> Figure:
    """Draw each packet's round-trip time, the class that the profile replays, and when packets were lost."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(SETTINGS):
        figure = Canvas(figsize=INCHES, layout="constrained")
        upper, lower = figure.subplots(2, sharex=True, height_ratios=(5, 1))
        upper.plot(
            trace.sent,
            1e3 * trace.rtt,
            ".",
            color=COLOURS[4],
            markersize=3,
            label=f"traced: {len(trace.rtt):,} packets",
            rasterized=len(trace.rtt) > 2000,
        )
        ends = np.append(profile.starts, profile.duration)
        upper.stairs(
            1e3 * profile.rtt[profile.classes],
            ends,
            baseline=None,
            color=COLOURS[1],
            linewidth=0.8,
            label=f"replayed: {len(profile.rtt)} classes, {len(profile.starts):,} changes",
        )
        upper.set_yscale("log")
        upper.set_ylabel("round-trip time (ms)")
        figure.legend(*upper.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
        for row, (packets, colour) in enumerate(((trace.acks, COLOURS[3]), (trace.data, COLOURS[0]))):
            lower.plot(packets.lost, np.full(len(packets.lost), row), "|", color=colour, markersize=10)
        lower.set_yticks((0, 1), (f"{len(trace.acks.lost)} ACKs", f"{len(trace.data.lost)} data"))
        lower.set_ylim(-0.6, 1.6)
        lower.set_ylabel("lost")
        lower.set_xlabel("time (s)")
        lower.set_xlim(0, profile.duration)
    return figure
