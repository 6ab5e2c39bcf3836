"""``tworay variants``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

import tworay
from tworay.cli.output import only_one, print_entry, print_json
from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay.running.scenarios import ParameterInfo, VariantInfo

from tworay.cli.app import app
from tworay.cli.options import JsonOption

# Columns of text, those of a terminal.
LINE = 80


@app.command()
def variants(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Explain this variant: rules and parameters.")
    ] = None,
    show: Annotated[str | None, typer.Option(metavar="NAME", help="The same as NAME.")] = None,
    json: JsonOption = False,
) -> None:
    """List the TCP variants, or explain one."""
    from tworay._native import nearest

    entries = tworay.variants()
    show = only_one(name, show)
    if show is not None:
        names = [entry.name for entry in entries]
        entries = [entry for entry in entries if entry.name == show.lower()]
        if not entries:
            near = nearest(show, names)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(names)}"
            raise InputError(f"there is no variant {show}; {hint}")
    if json:
        print_json(
            [
                entry._asdict()
                | {"parameters": [parameter._asdict() for parameter in entry.parameters]}
                | {"rules": [rule._asdict() for rule in entry.rules]}
                for entry in entries
            ]
        )
    elif show is not None:
        _explain(entries[0])
    else:
        width = max(len(entry.name) for entry in entries) + 2
        for entry in entries:
            details = entry.source
            if entry.parameters:
                details += "; parameters " + ", ".join(map(_with_default, entry.parameters))
            print_entry(entry.name, entry.summary, details, width=width)
        print("\nParts are joined by +, parameters given in order or by name:")
        print("newreno+sca(10)+cwl(n=4). `tworay variants NAME` explains one.")


def _explain(variant: VariantInfo) -> None:
    print(textwrap.fill(f"{variant.name}: {variant.summary}", LINE))
    print(textwrap.fill(f"Source: {variant.source}", LINE))
    print("\nRules:")
    width = max(map(len, ["otherwise", *(rule.event for rule in variant.rules)])) + 2
    for rule in variant.rules:
        text = f"{rule.action} [{rule.source}]"
        print(_hanging(rule.event, text, width))
    if variant.recoveries:
        print(_hanging("otherwise", _otherwise(variant.recoveries), width))
    if variant.parameters:
        print("\nParameters:")
    for parameter in variant.parameters:
        if parameter.choices:
            allowed = " or ".join(parameter.choices)
        else:
            allowed = f"{parameter.minimum:g} to {parameter.maximum:g}"
        print(f"\n  {_with_default(parameter)}   ({allowed})")
        print(textwrap.indent(textwrap.fill(parameter.about, LINE - 6), "      "))
    if not variant.parameters:
        print("\nIt has no parameters.")


def _hanging(head: str, text: str, width: int) -> str:
    """Return the text wrapped in a column beside its head; names with hyphens stay whole."""
    blank = " " * (2 + width)
    return textwrap.fill(
        text, LINE, initial_indent=f"  {head:<{width}}", subsequent_indent=blank, break_on_hyphens=False
    )


def _otherwise(recoveries: list[str]) -> str:
    first, *others = recoveries
    named = f" (or {', '.join(others)}, if it is named: {others[0]}+…)" if others else ""
    return f"as {first}{named}"


def _with_default(parameter: ParameterInfo) -> str:
    if parameter.default is None:
        return parameter.name
    if parameter.choices:
        return f"{parameter.name}={parameter.choices[int(parameter.default)]}"
    return f"{parameter.name}={parameter.default:g}"
