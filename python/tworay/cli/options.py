"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tworay.experiment.cluster import Cluster

ScenarioOrProfile = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO", help="A built-in scenario (see `tworay scenarios`), a TOML file, or - for stdin."
    ),
]
ProfileOption = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        metavar="PROFILE.toml",
        help="Replay a profile from `tworay sedlane fit` instead of a scenario.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting, for example --set mac.rts_threshold=3000B. Repeatable.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", help="Write the tables (Parquet), summary.json and report.html into DIR."
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Replace earlier results and files. Nothing else in DIR is touched."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document.")]
MetricsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B,C",
        help="Columns of the table, for example goodput_bps,mean_delay_seconds. See `tworay metrics`. "
        "Repeatable.",
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="FLOWS",
        help="Compare these flows: tcp (all if there is no TCP), udp, all, or one: flow.0.",
        show_default="tcp",
    ),
]
EntriesOption = Annotated[
    str | None,
    typer.Option(
        "--entries",
        metavar="SPAN",
        help="Draw the flows' start times from the seed, from 0 to SPAN, such as 2s: on wires nothing "
        "else is random.",
    ),
]
PairsOption = Annotated[bool, typer.Option("--pairs", help="Also print the tests of every pair of arms.")]
ResourcesOption = Annotated[
    bool,
    typer.Option(
        "--resources", help="Also measure EEE and UAR. Adds one run per seed, with saturating sources."
    ),
]
CostsOption = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        metavar="FILE.csv",
        help="Use this table of computing costs (from `tworay costs --out FILE.csv`).",
    ),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Runs at a time. Default: all cores.")
]
ShardOption = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Do only part I of N. `tworay merge` joins the parts."),
]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="tls://HOST:PORT", help="Run on the workers of this Dask scheduler."),
]
TlsCaOption = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="FILE.pem", help="Certificate authority for --cluster."),
]
TlsCertOption = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="FILE.pem", help="Own certificate for --cluster.")
]
TlsKeyOption = Annotated[
    Path | None, typer.Option("--tls-key", metavar="FILE.pem", help="Key of the own certificate.")
]
InsecureOption = Annotated[
    bool,
    typer.Option("--insecure", help="Allow an unencrypted connection (tcp://) to another host."),
]


def cluster_of(
    address: str | None, ca: Path | None, cert: Path | None, key: Path | None, *, insecure: bool
) -> Cluster | None:
    """Return the cluster of the options, if they name one."""
    if address is None:
        return None
    from tworay.experiment.cluster import Cluster, check_address

    return Cluster(check_address(address, insecure=insecure), ca, cert, key)


def joined(several: list[str] | None) -> str | None:
    """Join the values of a repeated option: ``--tcp reno --tcp sack`` is ``--tcp reno,sack``."""
    return ",".join(several) if several else None


def source_of(scenario: str | None, profile: Path | None) -> str:
    """Return the scenario or profile to load."""
    from tworay.errors import InputError

    if (scenario is None) == (profile is None):
        raise InputError("name a scenario (`tworay scenarios` lists those built in), or a --profile")
    return str(scenario if profile is None else profile)
