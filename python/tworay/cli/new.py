"""``tworay new``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tworay.cli.app import app
from tworay.cli.output import check_free, note, write_text
from tworay.errors import InputError, with_options

if TYPE_CHECKING:
    from tworay.imports.answers import Question


@app.command()
def new(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="The scenario to write, for example mesh.toml.")
    ],
    layout: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="string, grid, random or moving.", show_default="random"),
    ] = None,
    nodes: Annotated[
        str | None, typer.Option(metavar="N", help="Number of nodes, 2 to 1000.", show_default="8")
    ] = None,
    radio: Annotated[
        str | None,
        typer.Option(
            metavar="PRESET",
            help="Radio of the nodes: b-2, b-11, g, n20, n40x2 or ac80x2.",
            show_default="b-2",
        ),
    ] = None,
    distance: Annotated[
        str | None,
        typer.Option(
            metavar="METRES",
            help="Distance of neighbours, 10 to the reach of the radio: 250 with b-2.",
            show_default="180",
        ),
    ] = None,
    traffic: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="ends: first node to last; gateway: node 0 to the others; pairs: side by side.",
            show_default="gateway",
        ),
    ] = None,
    sends: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="WORD",
            help="What is sent: ftp (bulk data), web, request, video, cbr, on-off, or mixed.",
            show_default="ftp",
        ),
    ] = None,
    routing: Annotated[
        str | None, typer.Option(metavar="WORD", help="aodv, dsr, olsr or static.", show_default="aodv")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.toml if it exists.")] = False,
) -> None:
    """Write a scenario from the answers to five questions.

    An option answers its question. On a terminal the others are asked, all but --app and --routing; elsewhere
    they take their defaults.
    """
    from tworay.imports import answers as of

    if file.suffix != ".toml":
        raise InputError(f"{file}: a scenario's file ends in .toml; did you mean {file}.toml?")
    check_free(file, force=force)
    given = {
        "layout": layout,
        "nodes": nodes,
        "radio": radio,
        "distance": distance,
        "traffic": traffic,
        "app": sends,
        "routing": routing,
    }
    # Wrong options are refused before the first question.
    words: dict[str, str] = {}
    for one in of.QUESTIONS:
        if (word := given[one.name]) is not None:
            # Where nobody is asked, the radio is known.
            known = words if sys.stdin.isatty() else {"radio": of.DEFAULT_RADIO} | words
            words[one.name] = of.within_reach(one, known).check(word)
    if not sys.stdin.isatty() and len(words) < len(of.QUESTIONS):
        note(
            "standard input is no terminal: nobody is asked, piped answers are not read; options answer them:"
        )
    for one in of.QUESTIONS:
        if one.name not in words:
            words[one.name] = _asked(of.within_reach(one, words))
    answers = of.Answers.of(words)
    text = of.scenario_text(answers, file.stem)
    world = of.check_runs(text, file)
    write_text(file, text)
    note(f"next: {of.next_step(answers, file, world)}")


def _asked(question: Question) -> str:
    """Ask until an answer is allowed; without a terminal, take the default."""
    if not (sys.stdin.isatty() and question.is_asked):
        note(f"--{question.name} {question.default} (default)")
        return question.default
    note(question.text)
    for name, meaning in (question.choices or {}).items():
        note(f"  {name:9}{meaning}")
    if question.choices is None:
        note(f"  {question.least} to {question.most}")
    while True:
        print(f"[{question.default}] ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise InputError("the answers ended; nothing was written")
        try:
            return question.check(line.strip() or question.default)
        except InputError as error:
            note(with_options(error))
