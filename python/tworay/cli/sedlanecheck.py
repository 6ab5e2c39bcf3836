"""Printing the comparison of a trace with its replay for ``tworay sedlane check``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.cli.output import print_columns, print_json
from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.sedlane.access import Access
    from tworay.sedlane.checking import Check

# At most this share above the traced goodput is not worth a word.
MORE = 1.1


def check_profile(
    source: Path,
    held_out: Path | None,
    *,
    flow: int | None,
    classes: int,
    access: list[Access] | None,
    tcp: str | None,
    seeds: int,
    as_json: bool,
) -> None:
    """``tworay sedlane check``."""
    from tworay.experiment.store.tables import known_tables
    from tworay.sedlane.checking import check

    if not 2 <= seeds <= 1000:
        raise InputError(f"--seeds {seeds}: allowed are 2 to 1000")
    for file in filter(None, (source, held_out)):
        if not file.exists():
            raise InputError(f"{file}: there is no such file or directory")
    with known_tables(source):
        found = check(source, held_out, flow=flow, classes=classes, access=access, tcp=tcp, seeds=seeds)
    if as_json:
        print_json(found.document())
    else:
        print("\n".join(_verdict(found.document())) + "\n")
        print_columns(_rows(found))
        print(
            f"\nMeans ± 95 % intervals over {seeds} replays with {found.tcp}; * is within 10 % of the trace"
        )
        print(f"(losses: within one point). The profile is fitted to {found.fitted.name},")
        print(f"and compared with {found.held_out.name}.")


def _verdict(document: dict[str, Any]) -> list[str]:
    """Return a sentence for each access link."""
    lines = []
    for replay in document["replays"]:
        alike = replay["alike"]
        like = [word for word, right in alike.items() if right]
        goodput = replay["measures"].get("goodput_bps", {}).get("ratio")
        words = f"access {replay['access']}: {len(like)} of {len(alike)} measures as traced"
        if goodput is not None:
            words += f", {goodput:.2f} times the traced goodput"
        lines.append(words)
    ratios = [one["measures"].get("goodput_bps", {}).get("ratio") or 0 for one in document["replays"][:1]]
    if ratios and ratios[0] > MORE:
        lines += [
            "A profile has no queues: packets of the replay do not wait for each other, so its delays do not",
            "grow with the load that the sender offers, and an access link is needed to limit it.",
        ]
    return lines


def _rows(found: Check) -> list[list[str]]:
    from tworay.sedlane.checking import MEASURES

    document = found.document()
    rows = [["", "fitted to", "traced", *(f"access {replay['access']}" for replay in document["replays"])]]
    for one in MEASURES:
        row = [f"{one.title}, {one.unit}"]
        for part in ("fitted_to", "traced"):
            value = document[part][one.name]
            row.append("–" if value is None else f"{value * one.scale:.1f}")
        for replay in document["replays"]:
            measured = replay["measures"].get(one.name)
            if measured is None:
                row.append("–")
                continue
            low, high = measured["interval"] or (measured["mean"], measured["mean"])
            mark = " *" if replay["alike"].get(one.name) else ""
            row.append(f"{measured['mean'] * one.scale:.1f} ± {(high - low) / 2 * one.scale:.1f}{mark}")
        rows.append(row)
    return rows
