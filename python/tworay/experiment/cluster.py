"""Run on a Dask cluster: tworay sends scenario texts and receives Parquet; it pickles nothing of its own.

tworay connects to an existing scheduler and starts nothing. Workers need the same version of tworay. If a
worker dies, another one repeats its batch; the bytes of a batch don't depend on the worker.
"""

from __future__ import annotations

import importlib
import io
import ipaddress
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from tworay._native import Scenario
from tworay.errors import InputError, OutputError
from tworay.experiment.onerun import do
from tworay.experiment.plan import ENGINE, Cell, Plan
from tworay.experiment.store.batches import WRITTEN, as_parquet, row
from tworay.experiment.store.records import SCENARIO
from tworay.experiment.store.tables import parquet
from tworay.running.control import arm_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tworay.experiment.engines import Finished, Todo, Underway
    from tworay.experiment.session import Session

# A function for a worker, and its arguments.
Call: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...]]"

MOST_RUNS = 50
# Batches per worker, so that all workers end at about the same time.
SHARES = 8
TRIES = 3


def work(
    engine: str, scenarios: list[str], tasks: list[tuple[int, str, int, bool]], extras: dict[str, Any]
) -> tuple[bytes, list[tuple[str, int, str, bytes]]]:
    """Do runs on a worker: each is a place in ``scenarios``, its key, a seed, and if it measures capacity.

    Returns a batch, and the tables that the experiment keeps, each with key, seed and name of the table.

    All arguments and results are texts, numbers and bytes.
    """
    if engine != ENGINE:
        raise RuntimeError(
            f"this worker has tworay {ENGINE}, the experiment is one of {engine}; install that version"
        )
    plan = Plan("", (), (), **extras | {"keep": tuple(extras["keep"])})
    rows, tables = [], []
    for place, key, seed, saturated in tasks:
        try:
            world = Scenario.from_toml(scenarios[place], SCENARIO, str(Path()), [])
        except Exception as error:
            rows.append(row(key, seed, None, message=f"{type(error).__name__}: {error}"))
            continue
        cell = Cell(place, {}, world, key, saturated=saturated)
        kept: dict[str, pl.DataFrame] = {}
        rows.append(do(cell, seed, plan, None, kept.__setitem__))
        tables += [(key, seed, name, parquet(table)) for name, table in kept.items()]
    return as_parquet(rows), tables


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

    def work(self, session: Session, todo: list[Todo], finished: Finished) -> Iterable[Underway]:
        """Distribute the runs, and store the tables and rows of each batch."""
        for cell in {task.cell.key: task.cell for task in todo}.values():
            if cell.kernel is not None:
                raise InputError(
                    f"{arm_of(cell.kernel)}: workers of a cluster have no kernel in virtual time; leave "
                    "--cluster out (--shard divides the runs, too)"
                )
            _only_text(cell.files, f"cell {cell.name}" if cell.place else cell.name)

        def call(batch: list[Todo]) -> Call:
            texts = [task.cell.files_at(task.seed)[SCENARIO] for task in batch]
            places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
            tasks = [
                (places[text], task.cell.key, task.seed, task.cell.saturated)
                for text, task in zip(texts, batch, strict=True)
            ]
            return work, (ENGINE, list(places), tasks, session.plan.extras)

        for batch, found in self._spread(todo, call):
            if isinstance(found, Lost):
                finished([row(t.cell.key, t.seed, None, message=found.message) for t in batch])
            else:
                content, tables = found
                # Before the rows: a run that is stored has its tables.
                for key, seed, name, table in tables:
                    session.keep(key, seed, name, pl.read_parquet(io.BytesIO(table)))
                finished(pl.read_parquet(io.BytesIO(content), columns=WRITTEN).to_dicts())
            yield []

    def _spread(
        self, todo: Sequence[Todo], call: Callable[[list[Todo]], Call]
    ) -> Iterator[tuple[list[Todo], Any]]:
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
            futures: dict[Any, list[Todo]] = {}

            def submit(batch: list[Todo]) -> Any:
                function, arguments = call(batch)
                future = client.submit(function, *arguments, pure=False)
                futures[future] = batch
                return future

            submitted = [submit(list(todo[i : i + size])) for i in range(0, len(todo), size)]
            results = distributed.as_completed(submitted, loop=client.loop, raise_errors=False)
            tries: Counter[Todo] = Counter()
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
