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
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.errors import InputError, OutputError
from tworay.lab.batches import Row, as_parquet, row
from tworay.lab.experiment import ENGINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from tworay.lab.sweeping import Sweep, Todo

MOST_RUNS = 50
# Batches per worker, so that all workers end at about the same time.
SHARES = 8
TRIES = 3


def work(
    engine: str, scenarios: list[str], tasks: list[tuple[int, str, int]], extras: dict[str, Any]
) -> bytes:
    """Do runs on a worker: each is a place in ``scenarios``, its hash and a seed. Returns a batch.

    All arguments and results are texts, numbers and bytes.
    """
    if engine != ENGINE:
        raise RuntimeError(
            f"this worker has tworay {ENGINE}, the sweep is one of {engine}; install that version"
        )
    from pathlib import Path

    from tworay._native import Scenario
    from tworay.lab.experiment import Cell, Plan
    from tworay.lab.onerun import do

    plan = Plan("", (), (), facts=extras["facts"], resources=extras["resources"], entries=extras["entries"])
    rows = []
    for place, key, seed in tasks:
        try:
            world = Scenario.from_toml(scenarios[place], "scenario.toml", str(Path()), [])
        except Exception as error:
            rows.append(row(key, seed, None, message=f"{type(error).__name__}: {error}"))
            continue
        cell = Cell(place, {}, world, {"scenario.toml": scenarios[place]}, key)
        rows.append(do(cell, seed, plan, None, None))
    return as_parquet(rows)


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
        """Distribute batches and store each result."""
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise InputError(
                "--cluster needs Dask; pip install distributed here and on the workers"
            ) from None
        plan = sweep.plan
        if plan.keep:
            raise InputError(
                "--cluster brings figures of runs back, not tables; leave `keep` out of the experiment"
            )
        for cell in sweep.cells:
            if len(cell.files) > 1:
                raise InputError(
                    f"--cluster: cell {cell.name} needs files beside its scenario "
                    f"({', '.join(sorted(cell.files)[:3])}); "
                    "only scenario text goes to a cluster; use --shard or --slurm"
                )
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
            batches = [todo[i : i + size] for i in range(0, len(todo), size)]
            futures: dict[Any, list[Todo]] = {}

            def submit(batch: list[Todo]) -> Any:
                texts = [task.cell.files_at(task.seed)["scenario.toml"] for task in batch]
                places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
                tasks = [
                    (places[text], task.cell.key, task.seed) for text, task in zip(texts, batch, strict=True)
                ]
                texts = list(places)
                future = client.submit(work, ENGINE, texts, tasks, plan.extras, pure=False)
                futures[future] = batch
                return future

            submitted = [submit(batch) for batch in batches]
            results = distributed.as_completed(submitted, loop=client.loop, raise_errors=False)
            tries: Counter[Todo] = Counter()
            for future in results:
                batch = futures.pop(future)
                try:
                    content = future.result()
                except Exception as error:
                    if "this worker has tworay" in str(error):
                        raise OutputError(f"--cluster {self.address}: {error}") from None
                    # The worker died or its result was lost. Failures of runs are in their rows.
                    tries[batch[0]] += 1
                    if tries[batch[0]] < TRIES:
                        results.add(submit(batch))
                        continue
                    text = f"lost {TRIES} times: {type(error).__name__}: {error}"
                    content = as_parquet([row(t.cell.key, t.seed, None, message=text) for t in batch])
                finished(_rows(content), content)
                yield 0.0


def _rows(content: bytes) -> list[Row]:
    return pl.read_parquet(io.BytesIO(content), columns=["world", "seed", "status"]).to_dicts()
