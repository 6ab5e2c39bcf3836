"""The command and its exit codes."""

from __future__ import annotations

import gc
import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from tworay.cli import streams
from tworay.cli.summaries import COMMANDS, GROUPS
from tworay.cli.values import with_quick_values
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable


# A negative number, or a place that begins with one.
NEGATIVE = re.compile(r"-\.?\d")


class Command(TyperCommand):
    """A command that refuses an option given twice, unless it is repeatable.

    Click would drop the first value.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return arguments and options, ``--help`` too."""
        return list(map(with_quick_values, super().get_params(ctx)))

    def make_parser(self, ctx: Any) -> Any:
        """Return a parser that takes ``-50,80`` for an argument: no option begins with a digit."""
        parser = super().make_parser(ctx)
        option = parser._process_opts

        def process(word: str, state: Any) -> None:
            if NEGATIVE.match(word) and parser.allow_interspersed_args:
                state.largs.append(word)
            else:
                option(word, state)

        parser._process_opts = process  # type: ignore[assignment]
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments."""
        try:
            _, extra, given = self.make_parser(ctx).parse_args(args=list(args))
        except typer.TyperException as error:
            if (option := getattr(error, "option_name", None)) and hasattr(error, "possibilities"):
                from tworay.cli.suggesting import of_option

                error.message, error.possibilities = of_option(option, ctx, app), None
            raise
        # An option is an object of its own; flags and arguments may be repeated or have several values.
        times = Counter(id(one) for one in given)
        for one in given:
            single = one.param_type_name == "option" and not (one.multiple or getattr(one, "is_flag", False))
            if single and times[id(one)] > 1:
                raise InputError(f"{max(one.opts, key=len)} is given {times[id(one)]} times; give it once")
        try:
            return list(super().parse_args(ctx, args))
        except typer.TyperException as error:
            if extra and "extra argument" in error.message:
                from tworay.cli.suggesting import of_extra

                error.message = of_extra(extra, self, ctx)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command; with ``--json`` nothing but the document reaches standard output."""
        gc.enable()
        if not ctx.params.get("json"):
            return super().invoke(ctx)
        with streams.only_the_document():
            return super().invoke(ctx)


class Group(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return arguments and options, ``--help`` too."""
        return list(map(with_quick_values, super().get_params(ctx)))


class Root(Group):
    """The group of all commands; only the one that is called has been imported."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items(), *GROUPS.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of the first word, which may be a scenario by mistake."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            from tworay.cli.suggesting import of_scenario

            error.message = of_scenario(args[0]) or error.message
            raise


class Typer(typer.Typer):
    """An application whose commands are ``Command``, in a ``Group``."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**({"cls": Group} | settings))

    def command(self, *names: Any, **settings: Any) -> Callable[[Any], Any]:
        """Register a command."""
        return super().command(*names, **({"cls": Command} | settings))


app = Typer(
    name="tworay",
    cls=Root,
    help="TCP for networks that move: simulate it, see why every packet was lost.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


# Typer itself ends with 2 on wrong options and with 130 on Ctrl-C.
FAILED, WRONG_INPUT = 1, 2


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
    """Handle the options before the command."""
