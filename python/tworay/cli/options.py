"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tworay.cli import completing
from tworay.showing.bins import INTERVALS

if TYPE_CHECKING:
    from collections.abc import Callable

ScenarioOrProfile = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO",
        help="A built-in scenario (see `tworay scenarios`), a TOML file, or - for stdin.",
        autocompletion=completing.scenarios,
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
ScriptOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Changes as events of the scenario: lines such as `12s move roof 120,80`, `20s off 3`.",
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
        help="Compare these flows: tcp (all if there is no TCP), udp, all, by number: flow.0,flow.2, or "
        "by their ends: bob:alice.",
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
IntervalsOption = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help=f"How many equal parts of a run goodput over time has. Default: {INTERVALS}.",
    ),
]
EveryOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="The width of these parts, such as 0.5s, in place of --intervals; the last may be shorter.",
    ),
]
PairsOption = Annotated[bool, typer.Option("--pairs", help="Also print the tests of every pair of arms.")]
CsvOption = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE.csv",
        help="Write means, intervals and letters as CSV, a row per arm and metric (of a run: per flow); - is "
        "stdout.",
    ),
]
LongOption = Annotated[
    Path | None,
    typer.Option(
        "--long",
        metavar="FILE.csv",
        help="Write every run as CSV, a row per run and metric; - is stdout.",
    ),
]
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
# Parameters that `compare` and `sweep` share, by their names in `tworay.experiment.options`. The cluster's
# options become an engine.
SHARED: dict[str, Any] = {
    "tcp": Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B,C",
            help="TCP variants to compare (see `tworay variants`), also with labels: mine=mine.py:Mine. "
            "Repeatable.",
            autocompletion=completing.variants,
        ),
    ],
    "vary": Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=V1,V2",
            help="Compare values of a setting, for example routing.protocol=aodv,dsr; `compare` also takes "
            "labels: tcp.window=small=4,big=32. Repeatable: all combinations run, also with --tcp.",
        ),
    ],
    "routing": Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="Compare routing protocols, and measure them on the air: aodv, dsr, olsr, and on kernels in "
            "virtual time (--tcp kernel:cubic) babeld, batman-adv, batman-adv-v, bird-babel. NAME:FILE runs "
            "your own script (see `tworay live routing`).",
        ),
    ],
    "mix": Annotated[
        list[str] | None,
        typer.Option(
            metavar="A:SHARE,B:SHARE",
            help="Share the flows among variants, for example vegas:0.5,newreno:0.5. The unmixed cases run "
            "too. Repeatable.",
        ),
    ],
    "seeds": Annotated[
        str | None,
        typer.Option(
            help="Seeds: N for 1 to N, a range such as 1-10, or a list such as 3,5,9.", show_default="10"
        ),
    ],
    "set": SetOption,
    "until_ci": Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Add seeds until the 95 % interval of goodput is within ± SHARE, for example 5%.",
        ),
    ],
    "max_seeds": Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The most seeds that --until-ci may use.", show_default="100"),
    ],
    "judge": JudgeOption,
    "metrics": MetricsOption,
    "entries": EntriesOption,
    "resources": ResourcesOption,
    "out": OutOption,
    "jobs": JobsOption,
    "shard": Annotated[
        str | None,
        typer.Option("--shard", metavar="I/N", help="Do only part I of N. `tworay merge` joins the parts."),
    ],
    "dry_run": Annotated[
        bool,
        typer.Option("--dry-run", help="Estimate time and disk space from short samples; run nothing else."),
    ],
    "slurm": Annotated[bool, typer.Option("--slurm", help="Print an sbatch script with one job per shard.")],
    "cluster": Annotated[
        str | None,
        typer.Option(
            "--cluster", metavar="tls://HOST:PORT", help="Run on the workers of this Dask scheduler."
        ),
    ],
    "tls_ca": Annotated[
        Path | None,
        typer.Option("--tls-ca", metavar="FILE.pem", help="Certificate authority for --cluster."),
    ],
    "tls_cert": Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE.pem", help="Own certificate for --cluster.")
    ],
    "tls_key": Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE.pem", help="Key of the own certificate.")
    ],
    "insecure": Annotated[
        bool,
        typer.Option("--insecure", help="Allow an unencrypted connection (tcp://) to another host."),
    ],
}
FLAGS = ("resources", "dry_run", "slurm", "insecure")
OF_CLUSTER = ("cluster", "tls_ca", "tls_cert", "tls_key", "insecure")


def sharing(**changed: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared parameters, after its positional ones, as the mapping ``shared``.

    ``changed`` declares some of them in other words.
    """

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function, eval_str=True).parameters
        declared = SHARED | changed
        kinds = inspect.Parameter
        shared = [
            kinds(name, kinds.KEYWORD_ONLY, default=False if name in FLAGS else None, annotation=kind)
            for name, kind in declared.items()
        ]
        positional = [one for one in own.values() if one.kind is not kinds.KEYWORD_ONLY]
        rest = [one for one in own.values() if one.kind is kinds.KEYWORD_ONLY and one.name != "shared"]

        @functools.wraps(function)
        def command(**values: Any) -> None:
            found = {name: values.pop(name) for name in declared}
            function(**values, shared=found)

        parameters = [*positional, *shared, *rest]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return decorated


def taken(shared: dict[str, Any]) -> dict[str, Any]:
    """Return the values of shared parameters as those of ``Common``."""
    from tworay.running.spec import parse_percent

    found = {name: value for name, value in shared.items() if name not in (*OF_CLUSTER, "dry_run", "slurm")}
    found["tcp"], found["metrics"] = joined(found["tcp"]), joined(found["metrics"])
    found["until_ci"] = None if found["until_ci"] is None else parse_percent(found["until_ci"])
    address, ca, cert, key, insecure = (shared[name] for name in OF_CLUSTER)
    if address is not None:
        from tworay.experiment.cluster import Cluster, check_address

        found["engine"] = Cluster(check_address(address, insecure=insecure), ca, cert, key)
    return found


def joined(several: list[str] | None) -> str | None:
    """Join the values of a repeated option: ``--tcp reno --tcp sack`` is ``--tcp reno,sack``."""
    return ",".join(several) if several else None


def source_of(scenario: str | None, profile: Path | None) -> str:
    """Return the scenario or profile to load."""
    from tworay.errors import InputError

    if (scenario is None) == (profile is None):
        raise InputError("name a scenario (`tworay scenarios` lists those built in), or a --profile")
    return str(scenario if profile is None else profile)
