"""``tworay doctor``."""

from __future__ import annotations

import typer

from tworay.cli.app import FAILED, app
from tworay.cli.options import JsonOption
from tworay.cli.output import print_entry, print_json

# The width of the longest name and of "missing", with gaps.
WIDTH = 30


@app.command()
def doctor(json: JsonOption = False) -> None:
    """Say what works on this machine, and what adds the rest.

    Changes nothing. The exit code is 1 if the simulator itself does not work.
    """
    from tworay._native import VERSION
    from tworay.machine.checks import checks

    found = checks()
    if json:
        print_json({"tworay": VERSION, "checks": [one._asdict() for one in found]})
    else:
        for one in found:
            texts = [one.found]
            if not one.works:
                texts.append(f"for: {one.used_for}")
            print_entry(f"{'works' if one.works else 'missing':9}{one.name}", *texts, width=WIDTH)
            if not one.works:
                # One line, to be copied.
                print(f"{'':{WIDTH}}add: {one.remedy}")
        print(f"\n{sum(one.works for one in found)} of {len(found)} parts work on this machine.")
    if not found[0].works:
        raise typer.Exit(FAILED)
