"""``tworay live kernel``: the kernel of virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tworay.cli.app import Typer
from tworay.cli.options import JsonOption

app = Typer(
    no_args_is_help=True,
    help="The kernel of `tworay live run --virtual`, built from your distribution's source into your cache.",
    rich_markup_mode=None,
)


@app.command()
def build(
    source: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A source tree of Linux. Default: the distribution's package."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Compilers at once. Default: all cores.")] = None,
) -> None:
    """Build the kernel, once; needs no root. Takes about four minutes on two cores, and 2 GB meanwhile."""
    from tworay.cli.output import note
    from tworay.virtual.building import build as build_kernel

    kernel, built = build_kernel(source, jobs=jobs)
    note(f"{'built' if built else 'is in the cache already:'} {kernel.name}")
    print(kernel.program)


@app.command(name="list")
def list_(json: JsonOption = False) -> None:
    """List the kernels in the cache; the last one that fits this version of tworay is used."""
    from tworay.cli.output import print_json
    from tworay.virtual import cache

    found = cache.kernels()
    if json:
        print_json(
            [
                {
                    "name": one.name,
                    "version": one.version,
                    "path": str(one.program),
                    "usable": one.recipe == cache.recipe(),
                }
                for one in found
            ]
        )
        return
    for one in found:
        other = (
            "" if one.recipe == cache.recipe() else "  (of another version of tworay: remove its directory)"
        )
        print(f"{one.name}  {one.program}{other}")
    if not found:
        print(f"no kernel in {cache.kernels_home()}: {cache.BUILD}")


@app.command()
def path() -> None:
    """Print the path of the kernel that is used."""
    from tworay.virtual import cache

    print(cache.kernel().program)
