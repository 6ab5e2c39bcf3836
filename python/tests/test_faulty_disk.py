"""Results on a disk that fails, at every single operation: nothing finished is lost, and going on ends it.

Each case is done once undisturbed, which counts its operations. Then one operation after the other fails: the
process dies before it (or in the middle of a write), the power goes, the disk is full from there on, a write
is cut short, the system reports an error. ``make test`` takes some operations of each case and fault, drawn
by their names; ``make disk-faults`` takes every one (``EACH=12``: so many).
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from faulty_files import CHANGES, ERROR, FAULTS, FULL, NEED_ROOM, POWER, SHORT, Crash, Fault, layer_over

import tworay
from tworay.errors import TworayError
from tworay.experiment.experimentfile import read
from tworay.experiment.store import batches
from tworay.experiment.store.batches import Batches, stored_rows
from tworay.experiment.store.manifest import find_manifest
from tworay.experiment.store.merging import merge
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable

# Operations of each case and fault that ``make test`` lets fail. `make disk-faults` takes every one.
SAMPLE = 1
SETTINGS = {"duration": "2s"}
# One of them is in every message.
REMEDIES = ("run the same command again", "--resume", "run it again", "move it away", "run anew")
EXPERIMENT: dict[str, Any] = {
    "name": "tiny",
    "scenario": ["string-2", "string-3"],
    "tcp": ["newreno"],
    "seeds": 2,
    "keep": ["flows"],
    "set": SETTINGS,
}


def compare(**options: Any) -> Any:
    return tworay.compare(
        "string-2", **({"tcp": "reno,sack", "seeds": 2, "set": SETTINGS, "jobs": 1} | options)
    )


def go_on(out: Path, **options: Any) -> None:
    """Do what the messages say: resume what is there, or begin."""
    found = find_manifest(out)
    compare(**options, **({"resume": out} if found else {"out": out}))


def sweep(out: Path, **options: Any) -> None:
    Sweep(read(EXPERIMENT | options.pop("document", {})), out, **options).run(jobs=1)


def shards(disk: Path) -> None:
    from tworay.experiment.engines import Shard

    for index in (1, 2):
        sweep(disk / f"shard{index}", shard=Shard(index, 2))


def halves(disk: Path) -> None:
    compare(tcp="reno", out=disk / "out")
    compare(tcp="sack", out=disk / "other")


@dataclass(frozen=True)
class Case:
    """Something that writes results, and how to go on with it; each within a folder that it is given."""

    name: str
    before: Callable[[Path], Any]
    act: Callable[[Path], Any]
    again: Callable[[Path], Any]


def nothing(disk: Path) -> None:
    """Prepare nothing."""


def run(disk: Path, **options: Any) -> None:
    tworay.run("string-2", seed=1, set=SETTINGS, out=disk / "out", **options)


def run_again(disk: Path) -> None:
    run(disk, force=find_manifest(disk / "out") is not None)


def old_comparison(disk: Path) -> None:
    compare(tcp="tahoe", seeds=1, set={"duration": "3s"}, out=disk / "out")


def new_comparison(disk: Path) -> None:
    """Replace the old comparison, or go on with the new one."""
    found = find_manifest(disk / "out")
    if found is None or "tahoe" in found["arms"]:
        compare(out=disk / "out", force=True)
    else:
        compare(resume=disk / "out")


CASES = [
    Case("a comparison", nothing, lambda disk: compare(out=disk / "out"), lambda disk: go_on(disk / "out")),
    Case(
        "a comparison in a folder that is there",
        lambda disk: (disk / "out").mkdir(),
        lambda disk: compare(out=disk / "out"),
        lambda disk: go_on(disk / "out"),
    ),
    Case(
        "more seeds of a comparison",
        lambda disk: compare(seeds=1, out=disk / "out"),
        lambda disk: compare(resume=disk / "out"),
        lambda disk: compare(resume=disk / "out"),
    ),
    Case("a comparison replaced", old_comparison, new_comparison, new_comparison),
    Case("a run", nothing, run, run_again),
    Case("a run replaced", lambda disk: run(disk, tcp="vegas"), run_again, run_again),
    Case("a sweep", nothing, lambda disk: sweep(disk / "out"), lambda disk: sweep(disk / "out")),
    Case(
        "more seeds of a sweep",
        lambda disk: sweep(disk / "out", document={"seeds": 1}),
        lambda disk: sweep(disk / "out"),
        lambda disk: sweep(disk / "out"),
    ),
    Case(
        "sweeps merged",
        shards,
        lambda disk: merge([disk / "shard1", disk / "shard2"], disk / "out"),
        lambda disk: merge([disk / "shard1", disk / "shard2"], disk / "out"),
    ),
    Case(
        "comparisons merged",
        halves,
        lambda disk: merge([disk / "out", disk / "other"], disk / "out"),
        lambda disk: merge([disk / "out", disk / "other"], disk / "out"),
    ),
]


def outcome(out: Path) -> dict[str, str]:
    """Return a digest of every file that must be the same, however the runs came to be."""
    # The progress and the document of a run have the time that they took.
    files = [file for file in sorted(out.rglob("*")) if file.is_file() and file.name != "progress.json"]
    contents = {str(file.relative_to(out)): file.read_bytes() for file in files}
    if "summary.json" in contents:
        document = json.loads(contents["summary.json"])
        document.pop("cpu_seconds", None)
        contents["summary.json"] = json.dumps(document).encode()
    found = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    if (out / "experiment.toml").exists():
        found = {name: digest for name, digest in found.items() if not name.startswith(("parts/", "."))}
        found = {name: digest for name, digest in found.items() if not name.endswith(".tmp")}
        tables = [pl.read_parquet(file, columns=["world", "seed"]) for file in parts(out)]
        found["runs"] = str(sorted(row for table in tables for row in table.rows()))
    return found


def parts(out: Path) -> list[Path]:
    return sorted((out / "parts").glob("[!.]*.parquet"))


def places(out: Path) -> set[tuple[str, int]]:
    return {(one["world"], one["seed"]) for one in stored_rows(out)[0]}


def drawn(case: Case, kind: str, done: list[tuple[str, str]]) -> list[int]:
    """Return the operations that fail: those with which the fault makes a difference, or some of them."""
    struck = {
        FULL: NEED_ROOM,
        SHORT: ("write",),
        ERROR: ("read", *CHANGES),
    }.get(kind, CHANGES)
    found = [at for at, (what, _) in enumerate(done) if what in struck]
    most = int(os.environ.get("TWORAY_DISK_FAULTS", SAMPLE))
    return sorted(random.Random(f"{case.name}, {kind}").sample(found, min(most, len(found))))


class Disk:
    """A folder with the beginning of a case, again and again."""

    def __init__(self, case: Case, place: Path) -> None:
        self.case, self._place = case, place
        self._fresh = place / "fresh"
        self._fresh.mkdir()
        case.before(self._fresh)
        self._count = 0

    def fresh(self) -> Path:
        """Return a copy."""
        self._count += 1
        return Path(shutil.copytree(self._fresh, self._place / f"disk{self._count}"))


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, int]]:
    """The runs that were reported as stored."""
    found: set[tuple[str, int]] = set()
    add = Batches.add

    def adding(self: Batches, one: batches.Row) -> None:
        add(self, one)
        found.add((one["world"], one["seed"]))

    monkeypatch.setattr(Batches, "add", adding)
    # So that a batch is also written in the midst of the runs.
    monkeypatch.setattr(batches, "FLUSH_RUNS", 3)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_whatever_operation_fails_going_on_gives_the_same(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, added: set[tuple[str, int]]
) -> None:
    disk = Disk(case, tmp_path)
    whole = disk.fresh()
    with layer_over(whole, monkeypatch) as layer:
        case.act(whole)
    want = outcome(whole / "out")
    faults = [Fault(kind, at) for kind in FAULTS for at in drawn(case, kind, layer.done)]
    wrong = []
    for fault in faults:
        trouble = trial(disk, fault, want, monkeypatch, added)
        if trouble:
            wrong.append(f"{fault.kind} at {fault.at}, {' '.join(layer.done[fault.at])}: {trouble}")
    # Shown with --capture=no.
    print(f"{case.name}: {len(layer.done)} operations, {len(faults)} faults, {len(wrong)} wrong")
    assert not wrong, "\n".join([f"{len(wrong)} of {len(faults)} faults:", *wrong])


def trial(
    disk: Disk, fault: Fault, want: dict[str, str], patch: pytest.MonkeyPatch, added: set[tuple[str, int]]
) -> str | None:
    """Let one operation fail and go on; return what is wrong then."""
    place = disk.fresh()
    out = place / "out"
    kept = places(out) if (out / "parts").is_dir() else set()
    replaces = "replaced" in disk.case.name
    added.clear()
    said = None
    with layer_over(place, patch, fault) as layer:
        try:
            disk.case.act(place)
        except Crash:
            pass
        except TworayError as error:
            said = str(error)
        except BaseException as error:
            return f"raised {type(error).__name__}: {error}"
    if not layer.struck:
        return "the operation was not reached"
    # Hidden leftovers of what was replaced go when the directory is written next.
    shown = {name: digest for name, digest in outcome(out).items() if not name.startswith(".")}
    if said is None and fault.kind in (FULL, ERROR) and shown != want:
        return "it said nothing, and the result differs"
    if said is not None and str(place) not in said:
        return f"the message names no file: {said}"
    if said is not None and not any(word in said for word in REMEDIES):
        return f"the message doesn't say what to do: {said}"
    there = places(out) if out.is_dir() else set()
    lost = (set() if fault.kind == POWER else added) | (set() if replaces else kept)
    if lost - there:
        return f"these finished runs are gone: {sorted(lost - there)}; it said {said}"
    try:
        if out.is_dir() and find_manifest(out):
            tworay.results(out) if not (out / "experiment.toml").exists() else tworay.Results(out)
    except TworayError:
        pass
    except BaseException as error:
        return f"reading raised {type(error).__name__}: {error}"
    try:
        with layer_over(place, patch):
            disk.case.again(place)
    except BaseException as error:
        return f"going on raised {type(error).__name__}: {error}; it had said {said}"
    found = outcome(out)
    if found != want:
        differ = sorted(name for name in {*want, *found} if want.get(name) != found.get(name))
        return f"these differ after going on: {differ}"
    shutil.rmtree(place)
    return None
