"""Runs a command over a network in virtual time: ``tworay live run --virtual``, and kernels as arms."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError, OutputError
from tworay.live.commanding import Outcome
from tworay.live.network import Ended, Status
from tworay.live.sending import ends
from tworay.virtual import cache, carrying
from tworay.virtual.controllers import check_controller, check_machine
from tworay.virtual.loops import words
from tworay.virtual.machine import MEMORY, Machine
from tworay.virtual.order import CAPTURE, FILES, SCENARIO, SHELLS, Order, Transfer
from tworay.virtual.shells import Keeper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from tworay.live.options import Options
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario

# Directories of the machine that are not the host's.
OWN = ("dev", "proc", "run", "sys")
# Of the host's environment, programs get PATH only: they are found as on the host.
ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC", "USER": "root", "TMPDIR": "/tmp"}


def check(options: Options) -> None:
    """Refuse what virtual time can't do.

    Raises:
        InputError: with the reason.

    """
    check_machine()
    if options.congestion is not None:
        check_controller(options.congestion, f"--congestion {options.congestion}")
    if options.slow != 1:
        raise InputError("--slow is for real time: in virtual time no machine is too slow; leave it out")


def run_virtual(
    scenario: Scenario,
    options: Options,
    command: Sequence[str],
    serve: str | None,
    *,
    each: str | None = None,
    to_stderr: bool = False,
    memory: int = MEMORY,
    keep: Path | None = None,
    pace: float | None = None,
    beside: Callable[[dict[str, Any]], AbstractContextManager[object]] = nullcontext,
    show: Callable[[Status], None] = lambda status: None,
    warn: Callable[[str], None] = lambda text: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Do what ``run_command`` does, in a machine of its own whose time is simulated; needs no root.

    ``memory`` of the machine is in MiB. ``keep`` names a directory for the files that programs wrote. With
    ``pace`` time moves that many times as fast as real time, and the network can be watched: ``beside`` is
    entered with its description once it is up, and left after its end.

    Raises:
        InputError: a wrong option, no kernel in the cache, too little memory.
        RunError: the machine did not start, or died.
        Cancelled: ``stopped`` said so.

    """
    check(options)
    ends(scenario, options)
    machine = Machine(cache.kernel(), options.seed, memory)
    order = replace(
        order_for(options),
        command=list(command),
        serve=serve,
        each=each,
        to_stderr=to_stderr,
        keep=keep is not None,
        paced=pace is not None,
    )
    with cache.scratch() as scratch, ExitStack() as stack:
        write_scenario(scenario, scratch)

        def ready(nodes: dict[str, Any]) -> None:
            stack.enter_context(beside({"nodes": nodes, "scratch": str(scratch)}))

        left = machine.run(
            scratch,
            order,
            keep=(lambda process: False) if pace is None else Keeper(scratch, pace, ready),
            show=lambda status: show(Status(**status)),
            warn=warn,
            stopped=stopped,
            gently=True,
        )
        ended = Ended(carrying.read(scratch), left["problem"], left["extras"])
        try:
            if options.pcap is not None:
                _copy(scratch / CAPTURE, options.pcap)
            if keep is not None:
                shutil.copytree(scratch / FILES, keep, symlinks=True, dirs_exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot write {error.filename}: {error.strerror}") from error
    run = ended.as_run(scenario, options)
    run.summary["live"]["programs"] = left["programs"]
    run.summary["live"]["virtual"] = machine.about(left)
    if text := words(left["loops"], run.summary["sim_seconds"]):
        warn(text)
    return Outcome(run, left["code"], ended.problem, left["interrupted"])


def _copy(file: Path, to: Path) -> None:
    """Copy a file to another one, or to a pipe, whose reader may leave."""
    with suppress(BrokenPipeError), file.open("rb") as source, to.open("wb") as target:
        shutil.copyfileobj(source, target)


def stand_virtual(
    scenario: Scenario,
    options: Options,
    ready: Callable[[dict[str, Any]], None],
    *,
    memory: int = MEMORY,
    pace: float | None = None,
) -> tuple[Run, str | None]:
    """Keep a network up in a machine until Ctrl-C, SIGTERM or its limit; ``ready`` gets its description.

    Time moves while a command of a shell runs, or at ``pace`` times real time.

    Returns:
        The run, and the reason if the network had ended by itself.

    Raises:
        InputError: a wrong option, no kernel in the cache, too little memory.
        RunError: the machine did not start, or died.

    """
    check(options)
    machine = Machine(cache.kernel(), options.seed, memory)
    order = replace(order_for(options), stands=True, paced=pace is not None)
    with cache.scratch() as scratch:
        write_scenario(scenario, scratch)
        (scratch / SHELLS).mkdir(mode=0o700)
        keeper = Keeper(scratch, pace, lambda nodes: ready({"nodes": nodes, "scratch": str(scratch)}))
        left = machine.run(scratch, order, gently=True, keep=keeper)
        ended = Ended(carrying.read(scratch), left["problem"], left["extras"])
        if options.pcap is not None:
            _copy(scratch / CAPTURE, options.pcap)
    run = ended.as_run(scenario, options)
    run.summary["live"]["virtual"] = machine.about(left)
    return run, ended.problem


def order_for(options: Options, *, transfers: list[Transfer] | None = None) -> Order:
    """Return an order that runs a network with no command yet, or with transfers."""
    directory = Path.cwd()
    if directory.parts[1:2] and directory.parts[1] in OWN:
        raise InputError(
            f"the working directory {directory} is not seen in virtual time, where "
            f"/{directory.parts[1]} is the machine's own; change to another one"
        )
    return Order(
        options={name: value for name, value in asdict(options).items() if name != "pcap"},
        command=[],
        serve=None,
        each=None,
        to_stderr=False,
        capture=options.pcap is not None,
        keep=False,
        directory=str(directory),
        environment={"PATH": os.environ.get("PATH", os.defpath)} | ENVIRONMENT,
        transfers=transfers,
    )


def write_scenario(scenario: Scenario, place: Path) -> None:
    """Write a scenario and the files that it names into the scratch directory."""
    from tworay.experiment.store.results import keep

    # Variants written in Python are for simulated flows, of which a live network has none.
    plain = scenario.with_variant("newreno") if scenario.custom else scenario
    for name, text in keep(plain).items():
        (place / name).write_text(text, encoding="utf-8")
    assert (place / SCENARIO).is_file()
