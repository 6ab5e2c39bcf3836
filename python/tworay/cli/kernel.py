"""``tworay kernel``: the variants as congestion controllers of this machine's kernel."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tworay.cli.app import Typer

app = Typer(no_args_is_help=True, help="Use the variants in this machine's kernel. Needs Linux and root.")

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A controller, for example westwood or tworay_westwood. See `tworay kernel list`.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document.")]


@app.command(name="list")
def list_(json: JsonOption = False) -> None:
    """List the controllers, and which are loaded."""
    from tworay import kernel
    from tworay.cli.output import note, print_json

    found, refusal = kernel.controllers()
    if json:
        print_json({"controllers": [one._asdict() for one in found], "refusal": refusal})
        return
    width = max(len(one.name) for one in found) + 2
    for one in found:
        values = "".join(f" {name}={value}" for name, value in one.values.items())
        print(f"{one.name:{width}}{one.state:10}{one.summary}{values and ';'}{values}")
        for parameter in one.parameters:
            print(
                f"{'':{width}}{'':10}{parameter['name']}: {parameter['about']} "
                f"(0 to {parameter['max']}, default {parameter['default']})"
            )
    if refusal is not None:
        note(f"tworay: {refusal}")


@app.command()
def load(
    name: NameArgument,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set a parameter, for example `load sca --set theta=20`. Repeatable.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Load a controller into the kernel.

    Any program can then choose it. Sets parameters of a controller that is already loaded.
    """
    from tworay import kernel
    from tworay.cli.output import print_json

    found = kernel.load(name, set_)
    if json:
        print_json(found)
        return
    values = "".join(f", {key} = {value}" for key, value in found["parameters"].items())
    print(f"{found['loaded']} is {'loaded' if found['fresh'] else 'loaded already'}{values}")


@app.command()
def unload(name: NameArgument, json: JsonOption = False) -> None:
    """Unload a controller.

    Open connections keep using it until they end; those that their program has closed go on with Reno.
    Where net.ipv4.tcp_congestion_control names it, it gets its earlier value back.
    """
    from tworay import kernel
    from tworay.cli.output import print_json

    found = kernel.unload(name)
    if json:
        print_json(found)
        return
    used = found["connections"]["used"]
    many = f"{used} open connection{'' if used == 1 else 's'}" if used else "connections out of reach"
    rest = "" if found["gone"] else f"; {many} still use it, and the kernel frees it when they end"
    print(f"{found['unloaded']} is unloaded{rest}")
    for one in found["defaults"]:
        where = "" if one["here"] else " in another network namespace"
        print(f"net.ipv4.tcp_congestion_control{where} named it and is {one['now']} now")


SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", metavar="N", min=0.1, help="Duration in seconds. Default: until Ctrl-C."),
]


@app.command()
def events(seconds: SecondsOption = None, json: JsonOption = False) -> None:
    """Print losses from now on as the controllers see them.

    Each line: when, what was lost, the guess about its cause, and the window before and after.
    """
    from json import dumps

    from tworay import kernel
    from tworay.cli.output import note

    for event in kernel.events(seconds):
        if json:
            print(dumps(event), flush=True)
        elif "missing" in event:
            note(f"tworay: {event['missing']} losses of {event['controller']} came too fast to be read")
        else:
            print(_told(event), flush=True)


def _told(event: dict[str, Any]) -> str:
    """Format an event as a line."""
    from datetime import datetime

    at = datetime.fromtimestamp(event["unix_ns"] / 1e9).astimezone().isoformat(" ", "milliseconds")
    windows = ", ".join(
        f"{name} {event[name]['before']} -> {event[name]['after']}" for name in ("cwnd", "ssthresh")
    )
    sign = "timeout" if event["sign"] == "timeout" else "duplicate ACKs"
    trips = f", round trips {event['history']} of {event['average_us'] / 1000:.1f} ms"
    return (
        f"{at}  {event['controller']}  {event['from']}:{event['from_port']} > "
        f"{event['to']}:{event['to_port']}  {sign}: {event['guess'] or 'no guess'}; {windows}"
        f"{trips if event['average_us'] else ''}"
    )


@app.command()
def stats(
    seconds: SecondsOption = None,
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Measure only connections with this TCP port.")
    ] = 0,
    callbacks: Annotated[
        bool,
        typer.Option(
            "--callbacks", help="Measure the controllers' callbacks instead of the processing of whole ACKs."
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Measure the CPU time of this kernel's TCP.

    Per ACK and per timeout, while connections are active.
    """
    from tworay import kernel
    from tworay.cli.output import note, print_json

    if not json and seconds is None:
        note("tworay: measuring until Ctrl-C")
    with kernel.Measuring(port=port, callbacks=callbacks) as measuring:
        _pass(seconds)
    found = measuring.result
    if json:
        print_json(found)
        return
    for one in found["callbacks"] if callbacks else found["costs"]:
        what = one["callback"] if callbacks else one["kind"] + (", SACK" if one["sack"] else "")
        # One measurement has no interval.
        spread = "" if callbacks or one["count"] < 2 else f" ± {kernel.half_width(one):,.0f}"
        print(f"{one['controller']:17}{what:32}{one['mean_ns']:9,.0f}{spread} ns  {one['count']:,} times")
    joules = found["joules"]
    energy = "no energy counters (RAPL)" if joules is None else f"{joules:.2f} J by all processors"
    print(f"in {found['seconds']:.1f} s, {energy}")


def _pass(seconds: float | None) -> None:
    """Wait for the given time, or until Ctrl-C."""
    import contextlib
    import time

    with contextlib.suppress(KeyboardInterrupt):
        time.sleep(1e9 if seconds is None else seconds)
