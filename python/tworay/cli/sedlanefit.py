"""Fitting, printing and writing profiles for ``tworay sedlane fit``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tworay.cli.output import check_free, note, print_json, write_file
from tworay.errors import InputError
from tworay.sedlane.access import NONE

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.sedlane.access import Access
    from tworay.sedlane.exporting import Target
    from tworay.sedlane.fitting import Profile
    from tworay.sedlane.traces import Trace


class Outputs(NamedTuple):
    """Choices of what is printed and written."""

    profile: Path | None
    figure: Path | None
    export: str | None
    device: str
    force: bool
    as_json: bool

    def check(self) -> None:
        """Refuse outputs that cannot be written."""
        from tworay.sedlane.exporting import TARGETS
        from tworay.showing.pictures import FORMATS

        if self.export is not None and self.export not in TARGETS:
            raise InputError(f"--export {self.export}: allowed are {' and '.join(TARGETS)}")
        if self.profile is None and self.figure is None and self.export is None and not self.as_json:
            raise InputError("name the profile to write with -o PROFILE.toml, or print rules with --export")
        if self.profile is not None and self.profile.suffix != ".toml":
            raise InputError(f"-o {self.profile}: name a file that ends in .toml")
        if self.figure is not None and self.figure.suffix.lower() not in FORMATS:
            raise InputError(f"--figure {self.figure}: figures are written as {', '.join(FORMATS)}")
        for file in (self.profile, self.table, self.figure):
            if file is not None:
                check_free(file, force=self.force)

    @property
    def table(self) -> Path | None:
        """The file of the schedule."""
        return None if self.profile is None else self.profile.with_suffix(".parquet")


def fit_profile(source: Path, outputs: Outputs, *, flow: int | None, classes: int, access: Access) -> None:
    """``tworay sedlane fit``."""
    from tworay.experiment.store.tables import known_tables
    from tworay.sedlane import fit, read_trace
    from tworay.sedlane.exporting import export as rules

    outputs.check()
    if not source.exists():
        raise InputError(f"{source}: there is no such file or directory")
    with known_tables(source):
        trace = read_trace(source, flow)
    profile = fit(trace, classes, access)
    if not trace.is_complete:
        note(
            f"{trace.name} has {len(trace.rtt):,} samples of the round-trip time for {trace.data.number:,} "
            "segments; tworay run --record tells of every packet"
        )
    if access.kind == NONE:
        note(
            "a profile without an access link limits no rate: a sender with a larger window than the traced "
            "one carries more; give --access traced, or the traced window and segment size when you run it "
            "(--set tcp.window=20 --set tcp.mss=512B)"
        )
    if outputs.profile is not None and outputs.table is not None:
        text = profile.toml()
        write_file(outputs.profile, lambda path: path.write_text(text, encoding="utf-8"))
        write_file(outputs.table, lambda path: profile.table().write_parquet(path))
        note(f"the profile is in {outputs.profile}, its schedule as a table in {outputs.table}")
    if outputs.figure is not None:
        from tworay.sedlane.drawing import draw
        from tworay.showing.pictures import write

        write(draw(trace, profile), outputs.figure)
        note(f"wrote {outputs.figure}")
    if outputs.export is not None:
        print(rules(profile, cast("Target", outputs.export), outputs.device), end="")
    elif outputs.as_json:
        print_json(describe(trace, profile))
    else:
        for number, row in enumerate(describe(trace, profile)["classes"]):
            print(
                f"class {number:2}: RTT {1e3 * row['rtt_seconds']:8.1f} ms, {row['packets']:6} packets, "
                f"lost {100 * row['loss']:.2f} % there, {100 * row['loss_back']:.2f} % back"
            )


def describe(trace: Trace, profile: Profile) -> dict[str, Any]:
    """Return the profile as a document."""
    rows = zip(profile.rtt, profile.packets, profile.loss, profile.loss_back, strict=True)
    return {
        "trace": profile.name,
        "every_packet": trace.is_complete,
        "duration_seconds": profile.duration,
        "access": profile.access.kind,
        "rate": profile.access.rate,
        "changes": len(profile.starts),
        "classes": [
            {"rtt_seconds": float(rtt), "packets": int(n), "loss": float(loss), "loss_back": float(back)}
            for rtt, n, loss, back in rows
        ],
    }
