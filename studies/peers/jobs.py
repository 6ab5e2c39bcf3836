"""Runs as jobs: a command and everything its result depends on. Finished runs are cached on disk."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studies.peers import processes
from studies.peers.places import CACHE, ROOT, replace
from studies.peers.progress import Progress
from tworay.running.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Result = dict[str, Any]


def run_for_json(command: tuple[str, ...]) -> Result:
    """Run a command that prints a JSON document, and return the document."""
    return read_json(processes.run(command), command)


def read_json(output: str, command: Sequence[str]) -> Result:
    """Return the JSON document in a simulator's output; ns-2 prints other lines before and after it."""
    lines = [line for line in output.splitlines() if line.startswith('{"flows"')]
    try:
        document: Result = json.loads(lines[0] if lines else output)
    except ValueError as error:
        raise processes.ProgramError(f"{' '.join(command)}\nprinted no result: {output[-500:]}") from error
    return document


@dataclass(frozen=True)
class Job:
    """One run of one simulator."""

    tool: str
    command: tuple[str, ...]
    """The command line, run in the root of the checkout."""
    depends: tuple[str, ...]
    """Fingerprints and versions of everything else that the result depends on."""
    weight: float = field(default=1.0, compare=False)
    """Estimated seconds, for the progress line and the order."""
    harvest: Callable[[tuple[str, ...]], Result] = field(default=run_for_json, compare=False, repr=False)
    """Runs the command and returns its result."""

    @property
    def line(self) -> str:
        """The command as a user would type it."""
        return shlex.join(self.command)

    def cached_at(self) -> str:
        """Path of the cached result, relative to the cache."""
        text = json.dumps([self.tool, self.command, self.depends, self.harvest.__name__])
        name = hashlib.sha256(text.encode()).hexdigest()[:32]
        return f"{self.tool}/{name[:2]}/{name}.json"


class Results:
    """Finished runs by job."""

    def __init__(self) -> None:
        self._found: dict[Job, Result] = {}
        self.taken_from_cache = 0

    def __getitem__(self, job: Job) -> Result:
        return self._found[job]

    def __contains__(self, job: object) -> bool:
        return job in self._found

    def __len__(self) -> int:
        return len(self._found)

    def do(self, jobs: Iterable[Job], *, threads: int) -> None:
        """Run all jobs that are not cached, the longest first."""
        wanted = sorted(set(jobs) - self._found.keys(), key=lambda job: (-job.weight, job.command))
        todo = [job for job in wanted if not self._recall(job)]
        if not todo:
            return
        progress = Progress(sum(job.weight for job in todo))
        try:
            workers = Workers(
                lambda job: job.harvest(job.command), todo, jobs=threads, halt=processes.stop_all
            )
            with workers:
                for ended in workers.results():
                    if ended is not None:
                        job, result = ended
                        self._keep(job, result)
                        progress.advance(job.weight, job.line)
        finally:
            progress.close()

    def _recall(self, job: Job) -> bool:
        try:
            document = json.loads((ROOT / CACHE / job.cached_at()).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        self._found[job] = document["result"]
        self.taken_from_cache += 1
        return True

    def _keep(self, job: Job, result: Result) -> None:
        self._found[job] = result
        document = {"command": job.line, "depends": job.depends, "result": result}
        replace(ROOT / CACHE / job.cached_at(), json.dumps(document, indent=1) + "\n")
