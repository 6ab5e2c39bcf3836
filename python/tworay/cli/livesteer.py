"""``tworay live move``, ``off``, ``on``, ``loss`` and ``watch``: change a running network, and look at it."""

from __future__ import annotations

import contextlib
import re
from typing import Annotated

import typer

NodeArgument = Annotated[str, typer.Argument(metavar="NODE", help="Name or number of the node.")]
NameOption = Annotated[str | None, typer.Option(help="Name of the network. Default: the only one.")]


def _steer(name: str | None, *words: object) -> None:
    from tworay.live import standing

    print(standing.steer(name, " ".join(map(str, words))))


def _speed(word: str) -> str:
    """Return a speed as scripts have it, or say how to write it."""
    from tworay.errors import InputError

    if re.fullmatch(r"[0-9.]+ *(m/s|mps|km/h)?", word):
        return word.replace(" ", "")
    raise InputError(f"--speed {word}: write m/s, such as 5, or a unit, such as 5m/s or 18km/h")


def _share(word: str) -> str:
    """Return the share that a word says, or say how to write it."""
    from tworay.errors import InputError

    with contextlib.suppress(ValueError):
        return f"{float(word):g}"
    percent = re.fullmatch(r"([0-9.]+) *%", word)
    instead = f"{float(percent[1]) / 100:g} for {word}" if percent else "such as 0.2"
    raise InputError(f"RATE {word}: write a share from 0 to 1, {instead}")


def move(
    node: NodeArgument,
    place: Annotated[
        str, typer.Argument(metavar="X,Y", help="The new place, metres, such as 120,80 or -50,80.")
    ],
    speed: Annotated[
        str | None,
        typer.Option(metavar="M/S", help="Walk there, at 5 or 5m/s. Default: it is there at once."),
    ] = None,
    name: NameOption = None,
) -> None:
    """Move a node of a running network; prints the line of a script that was done."""
    _steer(name, "move", node, place, *([] if speed is None else [_speed(speed)]))


def off(node: NodeArgument, name: NameOption = None) -> None:
    """Switch a node of a running network off."""
    _steer(name, "off", node)


def on(node: NodeArgument, name: NameOption = None) -> None:
    """Switch a node of a running network on again."""
    _steer(name, "on", node)


def loss(
    node: NodeArgument,
    rate: Annotated[str, typer.Argument(metavar="RATE", help="Share of the frames that it loses, 0 to 1.")],
    name: NameOption = None,
) -> None:
    """Let a node of a running network lose frames that it would receive."""
    _steer(name, "loss", node, _share(rate))


def watch(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The network. Default: the only one.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port. 0 chooses a free one.")] = 0,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Follow a running network in the browser: map, causes, queues, lateness. Ctrl-C stops it.

    Also that of `live run`; in virtual time if it has --pace, else it is over too soon.
    """
    from tworay.cli.output import serve_until_interrupted
    from tworay.live import standing, watching

    found, look = standing.watched(name)
    with watching.server(look, found, port) as serving:
        serve_until_interrupted(serving, f"follows {found['name']}", browser=open_)
