"""``make bench``: measures tworay, ns-2 and ns-3 alternately; writes docs/studies/performance.md."""

from __future__ import annotations

import tempfile

from studies.peers import processes, tools
from studies.peers.cases import BARE, COMMAND, NS2, STANDARD, Case, Measured, cases
from studies.peers.jobs import read_json
from studies.peers.performance import document
from studies.peers.places import NS2_DRIVER, PERFORMANCE, ROOT, SCENARIOS, replace
from studies.peers.processes import ProgramError
from studies.peers.progress import Progress, say
from studies.peers.simulators import acked, tworay_arguments

LONG_SECONDS = 150.0
"""With ``--quick``, runs of a peer with a longer estimate are skipped."""


def bench(*, repeats: int, quick: bool, only: list[str]) -> None:
    """Measure all cases alternately, one process at a time, and write the document."""
    known = [case.name for case in cases()]
    for name in only:
        if name not in known:
            raise ProgramError(f"--only {name}: there is no such case; allowed are {', '.join(known)}")
    tools.install()
    tools.build_ns3_driver()
    tools.build_measure()
    tools.build_own_binary()
    chosen = [case for case in cases() if not only or case.name in only]
    turns = [
        (case, name, seed)
        for seed in range(1, repeats + 1)
        for case in chosen
        for name in _runners(case, quick=quick)
    ]
    progress = Progress(sum(_weight(case, name) for case, name, _ in turns))
    measured: dict[str, dict[str, Measured]] = {case.name: {} for case in chosen}
    try:
        for case, name, seed in turns:
            runs = measured[case.name].setdefault(name, Measured())
            _measure(case, name, seed, runs)
            progress.advance(_weight(case, name), f"{case.title}: {name}")
    finally:
        progress.close()
    text = document(chosen, measured, repeats)
    if only or quick:
        print(text)
    else:
        replace(ROOT / PERFORMANCE, text)
        say(f"wrote {PERFORMANCE}")


def _runners(case: Case, *, quick: bool) -> list[str]:
    """Return what runs in a turn: tworay before, between and after its peers.

    Shared machines have fast and slow moments. A peer runs through several, so tworay must not be measured
    in a single one.
    """
    own = [BARE, COMMAND, STANDARD]
    runners = list(own)
    for peer, seconds in case.peers.items():
        if not (quick and seconds > LONG_SECONDS):
            runners += [peer, *own]
    return runners


def _weight(case: Case, name: str) -> float:
    return case.peers.get(name, case.peers[NS2] / 8 + 0.3)


def _measure(case: Case, name: str, seed: int, runs: Measured) -> None:
    command = command_of(case, name, seed)
    with tempfile.NamedTemporaryFile("r", prefix="tworay-peers-") as report:
        result = read_json(processes.run([str(tools.MEASURE), report.name, *command]), command)
        cpu, kilobytes = report.read().split()
    # The command as a user would type it, whatever target directory cargo uses here.
    shown = " ".join(command).replace(str(tools.OWN_BINARY), "target/release/examples/run")
    runs.command = runs.command or shown
    runs.cpu.append(float(cpu))
    runs.peak.append(float(kilobytes) * 1024)
    runs.acked.append(acked(result))
    if "cpu_seconds" in result:
        runs.own_cpu.append(result["cpu_seconds"])
    if "events" in result:
        runs.events.append(result["events"])


def command_of(case: Case, name: str, seed: int) -> list[str]:
    """Return the command line of a run."""
    movement = case.movement.write() if case.movement else None
    if name in (BARE, COMMAND, STANDARD):
        settings = dict(case.settings)
        if name == STANDARD:
            settings["dialect"] = "standard"
        path = SCENARIOS / f"{case.scenario}.toml"
        arguments = tworay_arguments(path, seed, None, settings, movement)
        if name == COMMAND:
            return [tools.tworay_command(), *arguments]
        return [str(tools.OWN_BINARY), *_bare(arguments)]
    options = {**case.options, "seed": seed}
    if movement is not None:
        options["movement"] = str(movement)
    if name == NS2:
        options |= {"tcp": "sack"} if case.sack else {}
        flags = [word for key, value in options.items() for word in (f"-{key}", str(value))]
        return ["ns", str(NS2_DRIVER), *flags]
    return [
        str(tools.NS3_BINARY),
        f"--sack={int(case.sack)}",
        *(f"--{key}={value}" for key, value in options.items()),
    ]


def _bare(arguments: list[str]) -> list[str]:
    """Convert arguments of ``tworay run`` to those of the bare runner: SCENARIO SEED KEY=VALUE..."""
    _, path, _, seed, *rest = arguments
    return [path, seed, *(word for word in rest if "=" in word)]
