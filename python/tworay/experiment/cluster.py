"""Run on a Dask cluster: tworay sends scenario texts and receives Parquet; it pickles nothing of its own.

tworay connects to an existing scheduler and starts nothing. Workers need the same version of tworay. If a
worker dies, another one repeats its batch; the bytes of a batch don't depend on the worker.
"""

from __future__ import annotations

import importlib
import io
import ipaddress
import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import polars as pl

from tworay._native import Scenario
from tworay.errors import InputError, OutputError, RunError, ScenarioError
from tworay.experiment.onerun import do, keeper, parquet
from tworay.experiment.plan import ENGINE, Cell, Plan
from tworay.experiment.store.batches import Row, as_parquet, row
from tworay.experiment.store.records import SCENARIO
from tworay.experiment.store.results import keep
from tworay.running.executing import Failure
from tworay.running.frames import Table
from tworay.running.run import Run, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tworay.experiment.engines import Todo
    from tworay.experiment.sweeping import Sweep
    from tworay.running.executing import Task, Watcher

Item = TypeVar("Item")
# A function for a worker, and its arguments.
Call: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...]]"

MOST_RUNS = 50
# Batches per worker, so that all workers end at about the same time.
SHARES = 8
TRIES = 3


def work(
    engine: str, scenarios: list[str], tasks: list[tuple[int, str, int]], extras: dict[str, Any]
) -> tuple[bytes, list[tuple[str, int, str, bytes]]]:
    """Do runs on a worker: each is a place in ``scenarios``, its hash and a seed.

    Returns a batch, and the tables that the experiment keeps, each with hash, seed and name of the table.

    All arguments and results are texts, numbers and bytes.
    """
    _check_engine(engine)
    plan = Plan("", (), (), **extras | {"keep": tuple(extras["keep"])})
    rows, tables = [], []
    for place, key, seed in tasks:
        try:
            world = Scenario.from_toml(scenarios[place], SCENARIO, str(Path()), [])
        except Exception as error:
            rows.append(row(key, seed, None, message=f"{type(error).__name__}: {error}"))
            continue
        cell = Cell(place, {}, world, {SCENARIO: scenarios[place]}, key)
        kept: dict[str, bytes] = {}
        rows.append(do(cell, seed, plan, None, kept.__setitem__))
        tables += [(key, seed, name, content) for name, content in kept.items()]
    return as_parquet(rows), tables


def _check_engine(engine: str) -> None:
    if engine != ENGINE:
        raise RuntimeError(
            f"this worker has tworay {ENGINE}, the sweep is one of {engine}; install that version"
        )


def work_whole(
    engine: str, scenarios: list[str], tasks: list[tuple[int, int, bool, bool]]
) -> list[tuple[str, dict[str, bytes], list[int]] | str]:
    """Do runs on a worker: each is a place in ``scenarios``, a seed, and if series and losses are wanted.

    Returns for each run its document, its tables as Parquet and its losses at sources, or why it failed.
    """
    _check_engine(engine)
    found: list[tuple[str, dict[str, bytes], list[int]] | str] = []
    for place, seed, series, losses in tasks:
        try:
            world = Scenario.from_toml(scenarios[place], SCENARIO, str(Path()), [])
            result = run(world, seed=seed, series=series, losses=losses)
        except (RunError, ScenarioError) as error:
            found.append(str(error))
            continue
        tables = {name: parquet(frame) for name, frame in result.tables.items()} if losses else {}
        found.append((json.dumps(result.summary), tables, result.lost_at_source))
    return found


def check_address(address: str, *, insecure: bool) -> str:
    """Reject unencrypted connections to other hosts, unless they are requested explicitly."""
    match = re.fullmatch(r"(?:([a-z]+)://)?(\[[^\]]+\]|[^:/]+):(\d+)", address)
    if match is None:
        raise InputError(f"--cluster {address}: write tls://HOST:PORT, the address of a Dask scheduler")
    protocol, host, port = match[1] or "tls", match[2], match[3]
    if protocol not in ("tls", "tcp"):
        raise InputError(f"--cluster {address}: `{protocol}` is not spoken here; write tls://HOST:PORT")
    if protocol == "tcp" and not insecure and not _is_here(host.strip("[]")):
        raise InputError(
            f"--cluster {address}: tcp:// is unencrypted, and anybody on the way can run code as you; "
            "use tls://, or add --insecure"
        )
    return f"{protocol}://{host}:{port}"


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Cluster:
    """A Dask scheduler at ``address``; with the given certificates, or those of Dask's configuration."""

    address: str
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    patience: float = 20.0
    """Seconds in which the scheduler has to answer."""

    def _security(self, distributed: Any) -> Any:
        if self.address.startswith("tcp://"):
            return None
        for option, file in (("--tls-ca", self.ca), ("--tls-cert", self.cert), ("--tls-key", self.key)):
            if file is not None and not file.is_file():
                raise InputError(f"{option} {file}: there is no such file")
        given = {
            "tls_ca_file": self.ca,
            "tls_client_cert": self.cert,
            "tls_client_key": self.key,
        }
        named = {name: str(file) for name, file in given.items() if file is not None}
        security = distributed.Security(require_encryption=True, **named)
        if not (security.tls_ca_file and security.tls_client_cert):
            raise InputError(
                f"--cluster {self.address}: TLS needs certificates; name --tls-ca, --tls-cert and --tls-key, "
                "or set distributed.comm.tls in Dask's configuration"
            )
        return security

    def work(
        self, sweep: Sweep, todo: list[Todo], finished: Callable[[Sequence[Row], bytes | None], None]
    ) -> Iterable[float]:
        """Distribute the runs of a sweep and store each batch."""
        plan = sweep.plan
        for cell in sweep.cells:
            _only_text(cell.files, f"cell {cell.name}")

        def call(batch: list[Todo]) -> Call:
            texts, places = _shared([task.cell.files_at(task.seed)[SCENARIO] for task in batch])
            tasks = [(place, task.cell.key, task.seed) for place, task in zip(places, batch, strict=True)]
            return work, (ENGINE, texts, tasks, plan.extras)

        for batch, found in self._spread(todo, call):
            if isinstance(found, Lost):
                content = as_parquet([row(t.cell.key, t.seed, None, message=found.message) for t in batch])
            else:
                content, tables = found
                # Before the rows: a run that is stored has its tables.
                for key, seed, name, table in tables:
                    keeper(sweep.path, key, seed)(name, table)
            finished(_rows(content), content)
            yield 0.0

    def execute(
        self, tasks: list[Task], *, series: bool, finished: Callable[[Task, Run], None], watch: Watcher
    ) -> list[Failure]:
        """Distribute the runs of a comparison; return those that failed."""
        # Most seeds of an arm share one scenario.
        kept: dict[int, dict[str, str]] = {}
        for task in tasks:
            if id(task.scenario) not in kept:
                kept[id(task.scenario)] = keep(task.scenario)
                _only_text(kept[id(task.scenario)], task.variant)

        def call(batch: list[Task]) -> Call:
            texts, places = _shared([kept[id(task.scenario)][SCENARIO] for task in batch])
            wanted = [
                (place, task.seed, series and not task.totals_only, not task.totals_only)
                for place, task in zip(places, batch, strict=True)
            ]
            return work_whole, (ENGINE, texts, wanted)

        failures: list[Failure] = []
        done = 0
        for batch, found in self._spread(tasks, call):
            for task, whole in zip(batch, repeat(found) if isinstance(found, Lost) else found, strict=False):
                if isinstance(whole, Lost | str):
                    failures.append(Failure(task, whole if isinstance(whole, str) else whole.message))
                else:
                    finished(task, _as_run(*whole))
            done += len(batch)
            watch(done, len(tasks), done / len(tasks))
        return sorted(failures, key=lambda failure: failure.task)

    def _spread(
        self, todo: Sequence[Item], call: Callable[[list[Item]], Call]
    ) -> Iterator[tuple[list[Item], Any]]:
        """Send batches to the workers, and yield each with its result; ``Lost`` after several tries."""
        if not todo:
            return
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise InputError(
                "--cluster needs Dask; pip install distributed here and on the workers"
            ) from None
        security = self._security(distributed)
        try:
            client = distributed.Client(
                self.address, security=security, timeout=self.patience, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise OutputError(f"--cluster {self.address}: no scheduler answers there ({error})") from error
        with client:
            threads = sum(client.nthreads().values()) or 1
            size = max(1, min(MOST_RUNS, -(-len(todo) // (threads * SHARES))))
            futures: dict[Any, list[Item]] = {}

            def submit(batch: list[Item]) -> Any:
                function, arguments = call(batch)
                future = client.submit(function, *arguments, pure=False)
                futures[future] = batch
                return future

            submitted = [submit(list(todo[i : i + size])) for i in range(0, len(todo), size)]
            results = distributed.as_completed(submitted, loop=client.loop, raise_errors=False)
            tries: Counter[Item] = Counter()
            for future in results:
                batch = futures.pop(future)
                try:
                    found = future.result()
                except Exception as error:
                    if "this worker has tworay" in str(error):
                        raise OutputError(f"--cluster {self.address}: {error}") from None
                    # The worker died or its result was lost. Failures of runs are in their results.
                    tries[batch[0]] += 1
                    if tries[batch[0]] < TRIES:
                        results.add(submit(batch))
                        continue
                    found = Lost(f"lost {TRIES} times: {type(error).__name__}: {error}")
                yield batch, found


@dataclass(frozen=True)
class Lost:
    """A batch whose workers died each time."""

    message: str


def _only_text(files: Mapping[str, str], what: str) -> None:
    """Refuse a scenario that needs files beside it."""
    if len(files) > 1:
        raise InputError(
            f"--cluster: {what} needs files beside its scenario ({', '.join(sorted(files)[:3])}); "
            "only scenario text goes to a cluster; use --shard"
        )


def _shared(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return each text once, and the place of each."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return list(places), [places[text] for text in texts]


def _as_run(document: str, tables: Mapping[str, bytes], lost: list[int]) -> Run:
    """Return a worker's run as one of this process."""
    frames = {name: Table(pl.read_parquet(io.BytesIO(content))) for name, content in tables.items()}
    found = Run.__new__(Run)
    state = {"text": None, "frames": frames, "kept": None, "summary": json.loads(document), "lost": lost}
    found.__setstate__(state)
    return found


def _rows(content: bytes) -> list[Row]:
    return pl.read_parquet(io.BytesIO(content), columns=["world", "seed", "status"]).to_dicts()
