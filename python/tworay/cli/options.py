"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ScenarioArgument = Annotated[
    str, typer.Argument(help="A built-in scenario (`tworay scenarios`), a TOML file, or - for stdin.")
]
ScenarioOrProfile = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO", help="A built-in scenario (`tworay scenarios`), a TOML file, or - for stdin."
    ),
]
ProfileOption = Annotated[
    Path | None,
    typer.Option(
        "--profile", metavar="PROFILE.toml", help="In place of a scenario: replay what `sedlane fit` wrote."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a setting: --set mac.rts_threshold=3000B"),
]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write Parquet tables and summary.json there.")
]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force", help="Replace earlier results of this command in --out, and files of --pcap and --animate."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")
]
MetricsOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C",
        help="Columns of the table (`tworay metrics` lists them): --metrics goodput_bps,mean_delay_seconds",
    ),
]
PairsOption = Annotated[bool, typer.Option("--pairs", help="Add every pair of arms with its tests.")]
ResourcesOption = Annotated[
    bool,
    typer.Option(
        "--resources", help="Fill in EEE and UAR; takes one run more a seed, of saturating sources."
    ),
]
CostsOption = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        metavar="FILE.csv",
        help="Table of computing costs in place of the scenario's (`tworay costs --out FILE.csv`).",
    ),
]


def source_of(scenario: str | None, profile: Path | None) -> str:
    """Return the scenario to load, of which a profile is one kind."""
    from tworay.errors import InputError

    if (scenario is None) == (profile is None):
        raise InputError("name a scenario (`tworay scenarios` lists those built in), or a --profile")
    return str(scenario if profile is None else profile)
