"""``tworay live``: real kernels over simulated air."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tworay.cli import livekernel, liverouting, livesteer
from tworay.cli.app import Typer
from tworay.cli.options import (
    ForceOption,
    JsonOption,
    OutOption,
    ProfileOption,
    ScenarioOrProfile,
    ScriptOption,
    SetOption,
    source_of,
)
from tworay.live import Options
from tworay.live.options import STANDING_LIMIT

if TYPE_CHECKING:
    import tworay

app = Typer(
    no_args_is_help=True,
    help="Run real programs over a simulated network. Needs Linux, and root but for --virtual.",
    rich_markup_mode=None,
)

app.add_typer(livekernel.app, name="kernel")
app.command("routing")(liverouting.routing)
for _change in (livesteer.move, livesteer.off, livesteer.on, livesteer.loss, livesteer.watch):
    app.command(_change.__name__)(_change)

SeedOption = Annotated[int, typer.Option(help="Seed of the simulated network.")]
LayerOption = Annotated[
    int,
    typer.Option(help="3: IP packets, routed by the scenario. 2: Ethernet frames, routed by your daemons."),
]
NodesOption = Annotated[
    str | None, typer.Option(metavar="A,B,C", help="Nodes with a station; the command runs at the first.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Place a station at every node.")]
SlowOption = Annotated[float, typer.Option(help="Factor by which the network runs slower than real time.")]
LateOption = Annotated[
    float,
    typer.Option("--most-late", metavar="MS", help="Mark times in which the engine is later than this."),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Stop when the engine is later than --most-late.")
]
LimitOption = Annotated[float, typer.Option(metavar="S", help="Maximum duration in simulated seconds.")]
MtuOption = Annotated[int | None, typer.Option(help="Largest IP packet, bytes.")]
CongestionOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The kernels' congestion control: reno, cubic, ...")
]
FreezeOption = Annotated[
    bool, typer.Option("--freeze", help="Close the senders' windows while their route is broken.")
]
VirtualOption = Annotated[
    bool,
    typer.Option("--virtual", help="Run in virtual time, without root: the same bytes every time (x86-64)."),
]
MemoryOption = Annotated[
    int | None, typer.Option(metavar="MIB", help="With --virtual: memory of the machine. Default: 512.")
]
CaptureOption = Annotated[
    Path | None,
    typer.Option("--pcap", metavar="FILE", help="Write a capture of all frames to this file; - is stdout."),
]
RecordOption = Annotated[
    bool,
    typer.Option(
        "--record",
        help="Also keep every segment, frame, queue length, route and position for the map in "
        "report.html. Needs --out.",
    ),
]
SshOption = Annotated[
    bool, typer.Option("--ssh", help="Run sshd at every station: `ssh NAME` from any other one.")
]
NameOption = Annotated[str | None, typer.Option(help="Name of the network. Default: that of the scenario.")]


def _world(
    scenario: str,
    set_: list[str] | None,
    nodes: str | None,
    every: bool,
    script: Path | None,
    **options: object,
) -> tuple[tworay.Scenario, Options]:
    from tworay.errors import InputError
    from tworay.live.hostnames import check_host_names
    from tworay.live.options import check_nodes
    from tworay.naming import Nodes
    from tworay.running.scenarios import load_for_stations

    world = load_for_stations(scenario, set_)
    check_host_names(world, scenario)
    if script is not None:
        world = _scripted(world, scenario, set_, script)
    if nodes is not None and every:
        raise InputError("--nodes and --all can't be used together; leave one out")
    named = Nodes(world.names)
    words = [word.strip() for word in (nodes or "").split(",") if word]
    chosen = [named.number(word, "--nodes") for word in words]
    check_nodes(chosen, words)
    if every:
        chosen = list(range(world.nodes))
    late = float(str(options.pop("most_late"))) / 1e3
    return world, Options(nodes=tuple(chosen), most_late=late, **options)  # type: ignore[arg-type]


def _scripted(world: tworay.Scenario, scenario: str, set_: list[str] | None, script: Path) -> tworay.Scenario:
    """Return the scenario with a script; live, its time goes on for as long as the script."""
    import tomllib

    from tworay.live import scripts
    from tworay.running.scenarios import load_for_stations

    end = scripts.last(scripts.read(script))
    if end >= scripts.last(tomllib.loads(world.to_toml())["duration"]):
        world = load_for_stations(scenario, [*(set_ or []), f"duration={end + 1:g}s"])
    return scripts.applied(world, script)


def _words(command: list[str] | None) -> list[str]:
    """Return a command without the leading ``--``."""
    words = command or []
    return words[1:] if words[:1] == ["--"] else words


def _apart(scenario: str | None, command: list[str], profile: Path | None) -> tuple[str | None, list[str]]:
    """Tell a scenario from a command's first word: with --profile, what follows ``--`` is the command."""
    words = [*([] if scenario is None else [scenario]), *command]
    if profile is not None and words and sys.argv[-len(words) - 1 :] == ["--", *words]:
        return None, words
    return scenario, command


@app.command()
def run(
    scenario: ScenarioOrProfile = None,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND...",
            help="Default: iperf3. {peer} is replaced by the address of the other end.",
        ),
    ] = None,
    serve: Annotated[
        str | None, typer.Option(metavar="CMD", help="Shell command to run at the other end first.")
    ] = None,
    each: Annotated[
        str | None,
        typer.Option(
            metavar="CMD", help="Shell command to run at every station first, such as a routing daemon."
        ),
    ] = None,
    seed: SeedOption = Options.seed,
    set_: SetOption = None,
    script: ScriptOption = None,
    layer: LayerOption = Options.layer,
    nodes: NodesOption = None,
    all_: AllOption = False,
    congestion: CongestionOption = Options.congestion,
    freeze: FreezeOption = Options.freeze,
    slow: SlowOption = Options.slow,
    most_late: LateOption = 1e3 * Options.most_late,
    strict: StrictOption = Options.strict,
    limit: LimitOption = Options.limit,
    mtu: MtuOption = Options.mtu,
    out: OutOption = None,
    record: RecordOption = Options.record,
    pcap: CaptureOption = None,
    ssh: SshOption = Options.ssh,
    force: ForceOption = False,
    profile: ProfileOption = None,
    virtual: VirtualOption = False,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="With --virtual: keep the files that programs wrote in this directory, all but those in "
            "/etc and /var/lib.",
        ),
    ] = None,
    memory: MemoryOption = None,
    pace: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="With --virtual: run at N times real time, for `live watch`. Default: as fast as it can.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run a command between two real kernels over the scenario's network, in real or virtual time."""
    from tworay.cli.liverun import how_of, run_live

    scenario, words = _apart(scenario, _words(command), profile)
    world, options = _world(
        source_of(scenario, profile), set_, nodes, all_, script,
        seed=seed, layer=layer, congestion=congestion, freeze=freeze, slow=slow, most_late=most_late,
        strict=strict, limit=limit, mtu=mtu, pcap=pcap, record=record, ssh=ssh,
    )  # fmt: skip
    how = how_of(virtual=virtual, keep=keep, memory=memory, pace=pace)
    run_live(world, options, words, serve, each=each, out=out, force=force, as_json=json, virtual=how)


@app.command()
def up(
    scenario: ScenarioOrProfile = None,
    name: NameOption = None,
    seed: SeedOption = Options.seed,
    set_: SetOption = None,
    script: ScriptOption = None,
    layer: LayerOption = Options.layer,
    nodes: NodesOption = None,
    all_: AllOption = False,
    congestion: CongestionOption = Options.congestion,
    freeze: FreezeOption = Options.freeze,
    slow: SlowOption = Options.slow,
    most_late: LateOption = 1e3 * Options.most_late,
    strict: StrictOption = Options.strict,
    limit: LimitOption = STANDING_LIMIT,
    mtu: MtuOption = Options.mtu,
    out: OutOption = None,
    record: RecordOption = Options.record,
    pcap: CaptureOption = None,
    ssh: SshOption = Options.ssh,
    force: ForceOption = False,
    profile: ProfileOption = None,
    virtual: VirtualOption = False,
    memory: MemoryOption = None,
    pace: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="With --virtual: run at N times real time. Default: while commands run."
        ),
    ] = None,
    hold: Annotated[Path | None, typer.Option(hidden=True)] = None,
) -> None:
    """Start a live network in the background, for `tworay live shell`.

    With --virtual and without --pace time stands still between commands. A command at a node moves it by
    its own time, rounded up to 50 ms, and 150 ms in which the network is looked at; each move, off, on and
    loss by 150 ms; status and watch by nothing.
    """
    from tworay.cli.liverun import how_of, stand

    world, options = _world(
        source_of(scenario, profile), set_, nodes, all_, script,
        seed=seed, layer=layer, congestion=congestion, freeze=freeze, slow=slow, most_late=most_late,
        strict=strict, limit=limit, mtu=mtu, pcap=pcap, record=record, ssh=ssh,
    )  # fmt: skip
    how = how_of(virtual=virtual, memory=memory, pace=pace)
    stand(world, options, name, out=out, force=force, hold=hold, virtual=how)


@app.command()
def down(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The network. Default: the only one that is up.")
    ] = None,
) -> None:
    """End a network that is up, show its results, and write them if `up` had --out."""
    from tworay.cli.liverun import print_report
    from tworay.live import standing

    ended = standing.down(name)
    for line in ended.lines:
        print(line)
    if ended.document is not None:
        print_report(ended.document)


@app.command()
def shell(
    node: Annotated[str, typer.Argument(help="Name or number of the node.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="Default: your shell.")
    ] = None,
    name: NameOption = None,
) -> None:
    """Open a shell at a node of a network that is up, or run a command there."""
    from tworay.live import standing

    standing.enter(name, node, _words(command))


@app.command()
def status(json: JsonOption = False) -> None:
    """List the networks that are up, and name those that have ended and left something."""
    from tworay.cli.output import note, print_json
    from tworay.live import standing

    for name in standing.gone():
        note(f"{name} has ended and left a directory; `tworay live down {name}` says why and removes it")
    found = standing.standing()
    if json:
        print_json(found)
        return
    for one in found:
        print(
            f"{one['name']}  {one['scenario']}, process {one['pid']}, nodes {', '.join(standing.called(one))}"
        )
    if not found:
        print("no live network is up")
