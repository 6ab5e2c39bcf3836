"""``tworay kernel``: the variants as congestion controllers of this machine's kernel."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Use the variants in this machine's own TCP (Linux, as root).")

NameArgument = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A controller (`tworay kernel list`): westwood, tworay_westwood."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")
]


@app.command(name="list")
def list_(json: JsonOption = False) -> None:
    """List the controllers, and which of them are loaded."""
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
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter: load sca --set theta=20; repeatable."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Load a controller, so that any program may choose it; of a loaded one, set parameters."""
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
    """Unload a controller; open connections that use it keep it until they end."""
    from tworay import kernel
    from tworay.cli.output import print_json

    found = kernel.unload(name)
    if json:
        print_json(found)
        return
    rest = "" if found["gone"] else "; open connections use it, and the kernel frees it when they end"
    print(f"{found['unloaded']} is unloaded{rest}")
