"""What a killed process has left half written goes when a comparison goes on; nothing else does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tworay.experiment.store.place import HOLD_RUNS, sweep

if TYPE_CHECKING:
    from pathlib import Path

LEFT = (".a.parquet.12.tmp", ".tables.345.old")
OTHER = ("a.parquet", ".hidden", ".a.tmp", "b.12.tmp")


def test_what_is_half_written_goes_from_every_folder_of_runs(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in HOLD_RUNS]
    places = [tmp_path, *folders, *(folder / "flows" for folder in folders)]
    for place in places:
        (place / ".folder.7.old").mkdir(parents=True)
        for name in (*LEFT, *OTHER, ".folder.7.old/inside"):
            (place / name).write_bytes(b"x")
    of_others = tmp_path / "mine" / LEFT[0]
    of_others.parent.mkdir()
    of_others.write_bytes(b"x")
    sweep(tmp_path)
    for place in places:
        left = {one.name for one in place.iterdir() if one.name not in (*HOLD_RUNS, "flows", "mine")}
        assert left == set(OTHER), place
    assert of_others.exists(), "in a folder of someone else"
