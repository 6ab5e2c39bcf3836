"""What ``tworay sedlane fit`` does, prints and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.cli.output import check_free, note, print_json, write_file
from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.sedlane.fitting import Profile


def fit_profile(
    source: Path,
    output: Path | None,
    *,
    flow: int | None,
    classes: int,
    export: str | None,
    device: str,
    force: bool,
    as_json: bool,
) -> None:
    """``tworay sedlane fit``."""
    from tworay.experiment.store.tables import known_tables
    from tworay.sedlane import fit, read_trace
    from tworay.sedlane.exporting import TARGETS
    from tworay.sedlane.exporting import export as rules

    if export is not None and export not in TARGETS:
        raise InputError(f"--export {export}: allowed are {' and '.join(TARGETS)}")
    if output is None and export is None and not as_json:
        raise InputError("name the profile to write with -o PROFILE.toml, or print rules with --export")
    if output is not None and output.suffix != ".toml":
        raise InputError(f"-o {output}: name a file that ends in .toml")
    if not source.exists():
        raise InputError(f"{source}: there is no such file or directory")
    table = None if output is None else output.with_suffix(".parquet")
    for file in (output, table):
        if file is not None:
            check_free(file, force=force)
    with known_tables(source):
        profile = fit(read_trace(source, flow), classes)
    if output is not None and table is not None:
        text = profile.toml()
        write_file(output, lambda path: path.write_text(text, encoding="utf-8"))
        write_file(table, lambda path: profile.table().write_parquet(path))
        note(f"the profile is in {output}, its schedule as a table in {table}")
    if export is not None:
        print(rules(profile, export, device), end="")
    elif as_json:
        print_json(describe(profile))
    else:
        for number, row in enumerate(describe(profile)["classes"]):
            print(
                f"class {number:2}: RTT {1e3 * row['rtt_seconds']:8.1f} ms, {row['packets']:6} packets, "
                f"lost {100 * row['loss']:.2f} % there, {100 * row['loss_back']:.2f} % back"
            )


def describe(profile: Profile) -> dict[str, Any]:
    """Return the profile as a document."""
    rows = zip(profile.rtt, profile.packets, profile.loss, profile.loss_back, strict=True)
    return {
        "trace": profile.name,
        "duration_seconds": profile.duration,
        "changes": len(profile.starts),
        "classes": [
            {"rtt_seconds": float(rtt), "packets": int(n), "loss": float(loss), "loss_back": float(back)}
            for rtt, n, loss, back in rows
        ],
    }
