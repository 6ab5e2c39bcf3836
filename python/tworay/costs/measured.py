"""Measurements of ``tworay kernel stats``, by operation of the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tworay import _native
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Controllers whose variant has another name.
_RENAMED = {"tworay_cwl": "adaptive-cwl"}
# The kernel's own Reno, by whether both ends support SACK.
_RENO = {False: "newreno", True: "sack"}
# Contained in the ACKs that give a sample.
_CONTAINED = ("rtt_sample", "filter_update", "classification")


class RunTime(NamedTuple):
    """Costs of a controller's operations: means in nanoseconds, and the numbers of runs behind them.

    ``nanoseconds`` has every operation: 0 where it has no cost of its own, ``None`` where it is unknown.
    ``callbacks`` has the means from which these were computed, with the number of runs.
    """

    variant: str
    nanoseconds: dict[str, float | None]
    callbacks: dict[str, tuple[float, int]]
    never_ran: list[str]


def known_variants(names: Mapping[str, str]) -> list[str]:
    """Return every variant; raise if ``--as`` names an unknown one."""
    variants = [name for name, *_ in _native.variants()]
    for prefix, variant in names.items():
        if variant not in variants:
            raise InputError(
                f"--as {prefix}={variant}: there is no variant {variant}; `tworay variants` lists them"
            )
    return variants


def read(
    file: Path, document: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[list[RunTime], list[str]]:
    """Return times by variant, and the controllers that are not variants."""
    variants = known_variants(names)
    kinds: dict[str, dict[str, tuple[float, int]]] = {}
    others = set()
    for place, row in enumerate(document["costs"]):
        try:
            name, sack, kind = str(row["controller"]), bool(row["sack"]), str(row["kind"])
            mean, count = float(row["mean_ns"]), int(row["count"])
        except (TypeError, KeyError, ValueError) as error:
            raise InputError(
                f"--kernel {file}: costs[{place}] is not a measured cost ({error!r}); give what "
                "`tworay kernel stats --json` prints"
            ) from error
        variant = names.get(name) or _variant(name, variants, sack=sack)
        if variant is None:
            others.add(name)
            continue
        seen = kinds.setdefault(variant, {})
        # With or without SACK, whichever occurred more often.
        if count > seen.get(kind, (0.0, 0))[1]:
            seen[kind] = (mean, count)
    if not kinds:
        said = ", ".join(sorted(others)) or "nothing"
        raise InputError(
            f"--kernel {file}: no controller is a variant's (found: {said}); say `--as NAME=VARIANT`, or let "
            "a controller of tworay carry some traffic while `tworay kernel stats` measures"
        )
    return [_run_time(variant, kinds[variant]) for variant in sorted(kinds)], sorted(others)


def _variant(controller: str, variants: list[str], *, sack: bool) -> str | None:
    if controller == "reno":
        return _RENO[sack]
    plain = _RENAMED.get(controller, controller.removeprefix("tworay_"))
    return plain if plain in variants and controller != plain else None


def _run_time(variant: str, kinds: dict[str, tuple[float, int]]) -> RunTime:
    nanoseconds: dict[str, float | None] = {}
    for operation in _native.operations():
        met = kinds.get(operation)
        nanoseconds[operation] = 0.0 if operation in _CONTAINED else met and met[0]
    # The simulator books a duplicate ACK that starts a fast retransmit as both.
    whole, dup = nanoseconds["fast_retransmit"], nanoseconds["dup_ack"]
    if whole is not None and dup is not None:
        nanoseconds["fast_retransmit"] = max(0.0, whole - dup)
    return RunTime(variant, nanoseconds, kinds, [])
