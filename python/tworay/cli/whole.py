"""The command with all its commands, for those who look at it from outside: tests, and pages made from it."""

from tworay.cli.app import app
from tworay.cli.commands import load_all

load_all(app)

__all__ = ["app"]
