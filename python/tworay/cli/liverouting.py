"""``tworay live routing``: the daemons that can route in comparisons, and their scripts."""

from __future__ import annotations

from typing import Annotated

import typer

from tworay.cli.options import JsonOption


def routing(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Print the script that each station runs, as a template."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the routing daemons for `tworay compare --routing`, or print the script of one."""
    from tworay.cli.output import print_json
    from tworay.errors import InputError
    from tworay.virtual import daemons

    if name is not None:
        if name not in daemons.KINDS:
            raise InputError(f"there is no routing daemon {name}; there are {', '.join(daemons.KINDS)}")
        print(daemons.template(name), end="")
        return
    found = [
        {"name": one, "program": daemons.program(one), "package": kind.package}
        for one, kind in daemons.KINDS.items()
    ]
    if json:
        print_json(found)
        return
    for one in found:
        missing = f"not installed: sudo apt-get install {one['package']}"
        print(f"{one['name']:<14}{one['program'] or missing}")
