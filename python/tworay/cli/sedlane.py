"""``tworay sedlane``: a recorded network as a profile of delays and losses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import Typer
from tworay.cli.options import ForceOption, JsonOption, joined

app = Typer(no_args_is_help=True, help="Replay a recorded network as classes of delay and loss.")

TraceArgument = Annotated[
    Path,
    typer.Argument(
        help="A directory that `tworay run --record --out` wrote (without --record it has one sample a "
        "window), a capture (pcap, pcapng), or a wireless trace of ns-2."
    ),
]
FlowOption = Annotated[int | None, typer.Option(help="The TCP flow to fit. Default: the one that sent most.")]
ClassesOption = Annotated[int, typer.Option(help="The most classes to use, 1 to 16.")]


@app.command()
def fit(
    trace: TraceArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PROFILE.toml", help="The profile to write.")
    ] = None,
    flow: FlowOption = None,
    classes: ClassesOption = 16,
    access: Annotated[
        str,
        typer.Option(
            metavar="LINK",
            help="The hosts' own link to the network: none, 802.11b (a hop at 11 Mb/s), traced (the "
            "narrowest link of the trace), or a rate such as 2Mbps. A profile alone limits no rate.",
        ),
    ] = "none",
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw round-trip times, classes and losses over time."),
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            metavar="netem|dummynet", help="Print rules for netem or dummynet instead of writing a profile."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="The interface that the rules of --export name.")] = "eth0",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Fit a profile to a trace.

    `tworay run --profile` and `tworay live run --profile` replay it; `tworay sedlane check` tells how like
    the trace that is.
    """
    from tworay.cli.sedlanefit import Outputs, fit_profile
    from tworay.sedlane.access import Access

    outputs = Outputs(output, figure, export, device, force, json)
    fit_profile(trace, outputs, flow=flow, classes=classes, access=Access.parse(access))


@app.command()
def check(
    trace: TraceArgument,
    held_out: Annotated[
        Path | None,
        typer.Argument(
            help="Another trace of the same network to compare with. Default: fit the first half of TRACE, "
            "compare with the second."
        ),
    ] = None,
    flow: FlowOption = None,
    classes: ClassesOption = 16,
    access: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK,...",
            help="Access links to try, as for `tworay sedlane fit`. Default: none, 802.11b, and traced if "
            "the trace tells of every packet. Repeatable.",
        ),
    ] = None,
    tcp: Annotated[
        str | None, typer.Option(help="The TCP variant of the replay. Default: the traced one.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Replays of each link, 2 to 1000.")] = 10,
    json: JsonOption = False,
) -> None:
    """Replay a trace by simulation and compare: goodput, round-trip times, losses.

    The profile is compared with a part of the trace, or another trace, that it was not fitted to.
    """
    from tworay.cli.sedlanecheck import check_profile
    from tworay.sedlane.access import Access

    words = joined(access)
    links = None if words is None else [Access.parse(word) for word in words.split(",")]
    check_profile(
        trace, held_out, flow=flow, classes=classes, access=links, tcp=tcp, seeds=seeds, as_json=json
    )
