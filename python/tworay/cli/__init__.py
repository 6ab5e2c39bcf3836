"""The command ``tworay``. Only this file is imported for ``--help``; each verb imports what it needs."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

app = typer.Typer(
    name="tworay",
    help="TCP for networks that move: simulate it, see why every packet was lost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Typer itself ends with 2 on wrong options and with 130 on Ctrl-C.
FAILED, WRONG_INPUT = 1, 2

ScenarioArgument = Annotated[
    str, typer.Argument(help="A built-in scenario (`tworay scenarios`), a TOML file, or - for stdin.")
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
        help="Table of computing costs in place of the scenario's (`tworay tune --costs --out FILE.csv`).",
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        from tworay import __version__

        typer.echo(f"tworay {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Take the options that stand before the verb."""


@app.command()
def run(
    scenario: ScenarioArgument,
    seed: Annotated[int, typer.Option(help="Seed of the run.")] = 1,
    set_: SetOption = None,
    tcp: Annotated[str | None, typer.Option(metavar="VARIANT", help="TCP variant of every flow.")] = None,
    out: OutOption = None,
    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="With --out: keep every segment, frame, queue length, route and move, for the report's map.",
        ),
    ] = False,
    pcap: Annotated[
        Path | None,
        typer.Option(
            metavar="[FILE.pcapng]",
            help="Capture every frame for Wireshark; default: SCENARIO-SEED.pcapng; - for stdout.",
        ),
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(
            metavar="[FILE.xml]",
            help="Moves and packets for NetAnim, up to 100000 packets (30 MB); default: SCENARIO-SEED.xml.",
        ),
    ] = None,
    force: ForceOption = False,
    resources: ResourcesOption = False,
    costs: CostsOption = None,
    json: JsonOption = False,
) -> None:
    """Run a scenario once and say what became of every segment."""
    from tworay.cli.verbs import run_once

    run_once(
        scenario,
        seed=seed,
        settings=set_,
        tcp=tcp,
        out=out,
        record=record,
        pcap=pcap,
        animate=animate,
        force=force,
        resources=resources,
        costs=costs,
        as_json=json,
    )


@app.command()
def compare(
    scenario: Annotated[
        str | None,
        typer.Argument(
            help="A built-in scenario (`tworay scenarios`) or a TOML file; not needed with --resume."
        ),
    ] = None,
    tcp: Annotated[str | None, typer.Option(metavar="A,B,C", help="TCP variants to compare.")] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=V1,V2",
            help="Compare values of a setting: --vary routing.protocol=aodv,dsr; several are crossed with "
            "each other and with --tcp.",
        ),
    ] = None,
    mix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A:SHARE,B:SHARE",
            help="Give the flows different variants, beside the pure cases: --mix vegas:0.5,newreno:0.5",
        ),
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(help="N (seeds 1 to N), a range 1-10, or a list 3,5,9.", show_default="10"),
    ] = None,
    set_: SetOption = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Runs at a time; default: all cores.")] = None,
    until_ci: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Add seeds until goodput's 95 % interval is within ± SHARE (5%)."),
    ] = None,
    max_seeds: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Where --until-ci gives up.", show_default="100"),
    ] = None,
    out: OutOption = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Go on with the comparison in DIR, whatever ended it; more seeds and arms are added.",
        ),
    ] = None,
    force: ForceOption = False,
    resources: ResourcesOption = False,
    costs: CostsOption = None,
    metrics: MetricsOption = None,
    pairs: PairsOption = False,
    json: JsonOption = False,
) -> None:
    """Compare variants, settings or mixtures over the same worlds, seed by seed, with intervals and tests."""
    from tworay.cli.comparing import compare_arms

    compare_arms(
        scenario,
        tcp=tcp,
        vary=vary,
        mix=mix,
        seeds=seeds,
        settings=set_,
        jobs=jobs,
        until_ci=until_ci,
        max_seeds=max_seeds,
        out=out,
        resume=resume,
        force=force,
        resources=resources,
        costs=costs,
        wanted=metrics,
        pairs=pairs,
        as_json=json,
    )


@app.command()
def show(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="What --out of `run` or `compare` wrote, also interrupted.")
    ],
    metrics: MetricsOption = None,
    pairs: PairsOption = False,
    json: JsonOption = False,
) -> None:
    """Print a stored run or comparison again."""
    from tworay.cli.showing import show_results

    show_results(directory, wanted=metrics, pairs=pairs, as_json=json)


@app.command()
def explain(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="What --out of `run` or `compare` wrote.")],
    flow: Annotated[
        int | None, typer.Option(metavar="N", help="Which flow; may be left out where there is one only.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Explain the loss next to this time, such as 20.5s; default: the longest times in which "
            "nothing new was acknowledged.",
        ),
    ] = None,
    arm: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a comparison: the run of this arm.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of a comparison: the run with this seed.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Say what a sender saw and what happened: the loss, its cause, the guess, the retransmission."""
    from tworay.cli.explaining import explain_run

    explain_run(directory, flow=flow, at=at, arm=arm, seed=seed, as_json=json)


@app.command()
def plot(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="What --out of `run` or `compare` wrote.")],
    what: Annotated[str, typer.Argument(metavar="WHAT", help="cwnd, rtt or goodput over time, or box.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The picture: .svg, .pdf or .png.")
    ],
    flow: Annotated[int | None, typer.Option(metavar="N", help="Only this flow.")] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of a comparison: this seed; else the first, or a mean.")
    ] = None,
    metric: Annotated[str, typer.Option(metavar="NAME", help="What box draws (`tworay metrics`).")] = (
        "goodput_bps"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace the picture if it exists.")] = False,
) -> None:
    """Draw a stored run or comparison: windows, RTT or goodput over time, a metric by arm."""
    from tworay.cli.showing import plot_results

    plot_results(directory, what, output, flow=flow, seed=seed, metric=metric, force=force)


@app.command(name="metrics")
def metrics_(json: JsonOption = False) -> None:
    """List the metrics with unit and definition: names for --metrics, and of --json."""
    from tworay.cli.showing import list_metrics

    list_metrics(as_json=json)


@app.command()
def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="A movement file of ns-2 or BonnMotion, a wireless trace of ns-2 (.tr), each also gzip; "
            "a scenario; tracks (.gpx, or .csv with id, time and lat, lon or x, y); measured links (.csv "
            "with from, to and loss, level, tq, etx or lq; output of batctl o, olsrd's txtinfo or jsoninfo, "
            "or babeld's dump). Of tracks and links also several.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="What to write: a scenario (.toml), an ns-2 movement file (.mov, .tcl), NetAnim's XML "
            "(.xml), a trace's packets (.parquet, .csv); - prints a scenario, or a trace's packets as CSV.",
        ),
    ] = None,
    flow: Annotated[
        list[str] | None,
        typer.Option(metavar="FROM:TO:APP", help="A flow, for example 0:1:ftp; may be repeated."),
    ] = None,
    traffic: Annotated[Path | None, typer.Option(metavar="FILE", help="An ns-2 traffic file.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the run whose moves are written.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace the output if it exists.")] = False,
    json: JsonOption = False,
) -> None:
    """Turn moves, tracks or measured links into a scenario, moves into files, an ns-2 trace into tables."""
    from tworay.cli.converting import convert_files

    convert_files(files, output, flow or [], traffic=traffic, seed=seed, force=force, as_json=json)


@app.command()
def scenarios(
    show: Annotated[str | None, typer.Option(metavar="NAME", help="Print the TOML of this one.")] = None,
    json: JsonOption = False,
) -> None:
    """List the built-in scenarios, or print one to copy and change."""
    from tworay.cli.verbs import list_scenarios

    list_scenarios(show, as_json=json)


@app.command()
def variants(
    show: Annotated[str | None, typer.Option(metavar="NAME", help="Explain this one's parameters.")] = None,
    json: JsonOption = False,
) -> None:
    """List the TCP variants with source and parameters, or explain one."""
    from tworay.cli.verbs import list_variants

    list_variants(show, as_json=json)


@app.command()
def tune(
    costs: Annotated[
        bool, typer.Option("--costs", help="Count what the sender's operations cost in instructions.")
    ] = False,
    tcp: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Only these variants; default: every one.")
    ] = None,
    instruction: Annotated[
        str, typer.Option(metavar="ENERGY", help="Energy of one instruction, such as 1nJ or 150pJ.")
    ] = "1nJ",
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Show the table that ships; measure nothing.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Variants at a time; default: all cores.")
    ] = None,
    kernel: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="Take run times of controllers in the kernel from what `bpftool -j prog show` printed; "
            "count nothing.",
        ),
    ] = None,
    power: Annotated[
        str | None,
        typer.Option(metavar="POWER", help="With --kernel: power of the computing processor, such as 2.5W."),
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="PREFIX=VARIANT",
            help="With --kernel: programs called PREFIX_... are this variant's; may be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write the table there, for `run --costs`.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --out.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure what a variant's computations cost on this build (needs valgrind), or in the kernel."""
    from tworay.cli.tuning import kernel_costs, measure_costs

    if kernel is not None:
        kernel_costs(
            kernel,
            wanted=costs,
            shipped=shipped,
            tcp=tcp,
            power=power,
            names=as_ or [],
            out=out,
            force=force,
            as_json=json,
        )
        return
    measure_costs(
        wanted=costs,
        tcp=tcp,
        instruction=instruction,
        shipped=shipped,
        only_with_kernel={"--power": power, "--as": as_},
        jobs=jobs,
        out=out,
        force=force,
        as_json=json,
    )


@app.command()
def schema() -> None:
    """Print the JSON Schema of the scenario file."""
    from tworay.cli.verbs import print_schema

    print_schema()


def _add_groups() -> None:
    """Add the verbs that have verbs of their own."""
    from tworay.cli.kernel import app as kernel

    app.add_typer(kernel, name="kernel")
    from tworay.cli.live import app as live

    app.add_typer(live, name="live")


_add_groups()

# Commands with a file of their own; each imports what it needs when it is called.
from tworay.cli import merge, report, reproduce, sweep, table  # noqa: E402, F401

# Options whose file may be left out, with the endings that tell a file from a scenario.
OPTIONAL_FILE = {"--pcap": (".pcapng", ".pcap"), "--animate": (".xml",)}


def _filled_in(arguments: list[str]) -> list[str]:
    """Give a ``--pcap`` or ``--animate`` without a file the working directory, where the run names one."""
    if arguments[:1] == ["live"]:
        # What follows belongs to another program, whose words are its own.
        return arguments
    filled = []
    for place, argument in enumerate(arguments):
        bare = argument in OPTIONAL_FILE and not _is_file(arguments, place + 1, OPTIONAL_FILE[argument])
        filled.append(f"{argument}=." if bare else argument)
    return filled


def _is_file(arguments: list[str], place: int, endings: tuple[str, ...]) -> bool:
    """Tell whether the word after an option is its file, or is the scenario, or no word of its own."""
    word = arguments[place] if place < len(arguments) else ""
    if not word or (word.startswith("-") and word != "-"):
        return False
    # `run --pcap strip-50` means a capture of strip-50; with a scenario elsewhere the word is a file.
    return word.endswith(endings) or word == "-" or any(other != place for other in _words(arguments))


def _words(arguments: list[str]) -> list[int]:
    """Return the places of words behind the verb that are neither options nor values of options."""
    command = typer.main.get_command(app).commands["run"]  # type: ignore[attr-defined]
    valued = {name for one in command.params if not getattr(one, "is_flag", False) for name in one.opts}
    places = []
    taken = True
    for place, argument in enumerate(arguments):
        if not taken and (argument == "-" or not argument.startswith("-")):
            places.append(place)
        taken = argument in valued and argument not in OPTIONAL_FILE
    return places


def main() -> None:
    """Run the command line; the exit code says what kind of trouble there was, stderr what to do."""
    from tworay.cli import streams
    from tworay.errors import InputError, ScenarioError, TworayError

    streams.prepare()
    # Being terminated should end as tidily as being interrupted.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        try:
            app(_filled_in(sys.argv[1:]))
        except SystemExit:
            sys.stdout.flush()
            raise
    except (InputError, ScenarioError) as error:
        _complain(error, WRONG_INPUT)
    except (TworayError, OSError) as error:
        _complain(error, FAILED)
    except SystemExit as leaving:
        _leave(leaving)


def _leave(leaving: SystemExit) -> NoReturn:
    """Leave; at once where a variant's callback never returned, since Python would wait for its thread."""
    native = sys.modules.get("tworay._native")
    if native is not None and native.has_stuck_runs():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(leaving.code if isinstance(leaving.code, int) else FAILED)
    raise leaving


def _complain(error: Exception, code: int) -> None:
    print(f"tworay: {error}", file=sys.stderr)
    sys.exit(code)
