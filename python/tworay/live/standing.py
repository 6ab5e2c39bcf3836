"""Networks in the background: ``up``, ``down``, ``shell``.

A background process owns each network. Its namespaces (without names) and devices (not persistent) disappear
with it, however it ends. The directory with its description may remain; the next `up` or `down` removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tworay import _native
from tworay.errors import InputError, OutputError
from tworay.live import helm, leftovers, prompting, scripts
from tworay.live.network import Network
from tworay.naming import Nodes
from tworay.sudo import with_sudo
from tworay.virtual import cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tworay.experiment.store.results import Store
    from tworay.live.options import Options
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario

HOME = Path("/run/tworay/live")
# Networks in virtual time need no root, and are the user's.
VIRTUAL_HOME = cache.home() / "live"
STATE, LOCK, LOG = "state.json", "lock", "log"
# Written by who ends a network and waits for its document, and by the network then.
ASKED, ENDED = "asked", "ended.json"
# Maximum time for a network to start, and to end with its results written, seconds.
UP_SECONDS, DOWN_SECONDS = 120.0, 120.0
LOOK = 0.02


def up(name: str, arguments: Sequence[str], *, virtual: bool = False) -> dict[str, Any]:
    """Run ``tworay live up ARGUMENTS`` in the background; return the network's description when it is up.

    Raises:
        InputError: a network of that name is up already, or the input is wrong.

    """
    chosen = _checked(name)
    home = VIRTUAL_HOME if virtual else HOME
    place, draft = home / chosen, home / f".{chosen}-{os.getpid()}"
    _sweep()
    if any(one["name"] == chosen for one in standing()):
        raise InputError(_taken(chosen))
    lock = _claim(draft, place)
    if lock is None:
        raise InputError(_taken(chosen))
    command = [sys.executable, "-m", "tworay", "live", "up", "--hold", str(place), *arguments]
    with (place / LOG).open("wb") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=(lock,),
        )
    os.close(lock)
    until = time.monotonic() + UP_SECONDS
    while time.monotonic() < until and process.poll() is None:
        if (place / STATE).is_file():
            return _read(place)
        time.sleep(LOOK)
    process.kill()
    process.wait()
    text = (place / LOG).read_text(encoding="utf-8", errors="replace").strip()
    shutil.rmtree(place, ignore_errors=True)
    raise InputError(text.removeprefix("tworay: ") or f"the live network {chosen} did not come up")


def _claim(draft: Path, place: Path) -> int | None:
    """Make the directory of a network and lock it; ``None`` if there is one already."""
    draft.mkdir(parents=True, mode=0o755)
    # Locked before other processes can find it, and as long as the network's process lives.
    lock = os.open(draft / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        draft.rename(place)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        os.close(lock)
        return None
    return lock


@contextlib.contextmanager
def registered(network: Network) -> Iterator[None]:
    """Let other commands find the network of ``live run``, watch and change it until the end."""
    with _listed(HOME, network.scenario) as place:
        if place is None:
            yield
            return
        with helm.served(network, place):
            _describe(place, network.scenario, None, {"nodes": _nodes(network), "run": True})
            yield


@contextlib.contextmanager
def registered_virtual(scenario: Scenario, about: dict[str, Any]) -> Iterator[None]:
    """Let other commands find the network of ``live run --virtual`` and watch it until the end."""
    with _listed(VIRTUAL_HOME, scenario) as place:
        if place is not None:
            _describe(place, scenario, None, about | {"run": True})
        yield


@contextlib.contextmanager
def _listed(home: Path, scenario: Scenario) -> Iterator[Path | None]:
    """Make a directory for a network, called as its scenario, until the end; ``None`` if that fails."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "-", scenario.name).lstrip("._-")[:50] or "run"
    _sweep()
    names = [plain, *(f"{plain}-{number}" for number in range(2, 100))]
    taken = {one["name"] for one in standing()}
    lock, place = None, home / plain
    # Networks work without this, which needs write access to /run.
    with contextlib.suppress(OSError):
        for name in names:
            place = home / name
            if name not in taken and (lock := _claim(home / f".{name}-{os.getpid()}", place)) is not None:
                break
    if lock is None:
        yield None
        return
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


def _nodes(network: Network) -> dict[str, Any]:
    return {
        str(node): {
            "address": network.address(node),
            "device": _native.live_device(node),
            "host": network.host(node),
            "namespaces": places,
        }
        for node, places in network.places.items()
    }


def _taken(name: str) -> str:
    return (
        f"a live network {name} is up already; `tworay live down {name}` ends it, --name gives this one "
        "another name"
    )


def hold(
    place: Path,
    scenario: Scenario,
    options: Options,
    store: Store | None,
    virtual: Callable[[Callable[[dict[str, Any]], None]], tuple[Run, str | None]] | None = None,
) -> None:
    """Run a network as its background process until it is told to end.

    ``virtual`` runs it in virtual time: it gets a function that takes the network's description.
    """
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if one.readlink() == place / LOCK:
                # Programs at the stations must not inherit the lock.
                os.set_inheritable(int(one.name), False)
    if virtual is None:
        run, problem = _stand(place, scenario, options, store)
    else:
        run, problem = virtual(lambda state: _describe(place, scenario, store, state))
    _write(store, run)
    if problem is not None:
        # The next command reads this from the log.
        print(problem, flush=True)
        return
    if (place / ASKED).exists():
        (place / ENDED).write_text(json.dumps(run.summary), encoding="utf-8")
    else:
        shutil.rmtree(place, ignore_errors=True)


def _stand(place: Path, scenario: Scenario, options: Options, store: Store | None) -> tuple[Run, str | None]:
    with Network(scenario, options) as network:
        with contextlib.suppress(KeyboardInterrupt), helm.served(network, place):
            _describe(place, scenario, store, {"nodes": _nodes(network)})
            while True:
                time.sleep(1.0)
                status = network.status
                if status.sim_seconds > 0 and not status.running:
                    break
        return network.finish()


def _describe(place: Path, scenario: Scenario, store: Store | None, about: dict[str, Any]) -> None:
    """Write the description, by which other commands find the network."""
    state = {"name": place.name, "scenario": scenario.name, "pid": os.getpid()} | about
    names = scenario.names.items()
    state["all_names"] = scenario.names
    state["names"] = {name: node for name, node in names if str(node) in about["nodes"]}
    state["out"] = None if store is None else str(store.path.absolute())
    draft = place / f"{STATE}.new"
    draft.write_text(json.dumps(state), encoding="utf-8")
    draft.rename(place / STATE)


def _write(store: Store | None, run: Run) -> None:
    if store is not None:
        from tworay.report.writing import write_report

        store.write_single(run)
        write_script(store.path, run)
        write_report(store.path)


def write_script(place: Path, run: Run) -> None:
    """Write what was done to a network into its results, if anything was."""
    if lines := run.summary["live"].get("steered"):
        scripts.write(place, lines, scenario=run.summary["scenario"], seed=run.summary["seed"])


@dataclass(frozen=True)
class Ended:
    """Results of a network that was ended: lines for the user, and the document of its run."""

    lines: list[str]
    document: dict[str, Any] | None = None
    """``None`` if there was no network any more, or a ``live run`` that shows its results itself."""


def down(name: str | None) -> Ended:
    """End a network (the only one if no name is given), and clean up after networks that are gone.

    Raises:
        InputError: there is no such network, or no name is given and there are several.

    """
    ended = leftovers.sweep()
    swept = _sweep()
    lines = [f"{one} had ended already{said and f': {said}'}" for one, said in swept.items()]
    if ended:
        lines.append(f"ended {ended} processes that a killed network had left running")
    if (name is None and lines and not standing()) or (name is not None and _checked(name) in swept):
        return Ended(lines)
    found = _find(name)
    place = _place(found)
    if not found.get("run"):
        with contextlib.suppress(OSError):
            (place / ASKED).touch()
    with contextlib.suppress(ProcessLookupError):
        # A run shows and writes its results at Ctrl-C.
        os.kill(found["pid"], signal.SIGINT if found.get("run") else signal.SIGTERM)
    until = time.monotonic() + DOWN_SECONDS
    while _is_held(place):
        if time.monotonic() > until:
            raise OutputError(f"process {found['pid']} does not end; see its log {place / LOG}")
        time.sleep(LOOK)
    lines.append(f"{found['name']} is down")
    document = None
    with contextlib.suppress(OSError):
        document = json.loads((place / ENDED).read_text(encoding="utf-8"))
        shutil.rmtree(place, ignore_errors=True)
    said = _sweep().get(found["name"])
    if said:
        lines.append(f"it had ended before: {said}")
    elif found["out"] is not None:
        lines.append(f"results are in {found['out']}; open {Path(found['out']) / 'report.html'} in a browser")
    return Ended(lines, document)


def gone() -> list[str]:
    """Return the names of networks that are gone, but whose directories are still there."""
    return [place.name for place in _places() if not _is_held(place)]


def called(found: dict[str, Any]) -> list[str]:
    """Return what the stations of a network are called: names, and numbers of the others."""
    return [Nodes.of(found).short(int(node)) for node in found["nodes"]]


def enter(name: str | None, node: str, command: Sequence[str]) -> None:
    """Replace this process by a shell, or ``command``, at a node of a network that is up.

    Raises:
        InputError: there is no such network or node, or the command can't be started.

    """
    found = _find(name)
    number = str(found.get("names", {}).get(node, node))
    about = found["nodes"].get(number)
    if about is None:
        there = called(found)
        near = _native.nearest(node, there)
        hint = f"did you mean {near}? " if near and not node.isdigit() else ""
        raise InputError(f"{found['name']} has no station at node {node}; {hint}it has {', '.join(there)}")
    if found.get("scratch") is not None:
        _refuse_run(found)
        _enter_virtual(found, int(number), command)
    try:
        _native.join_station(about["namespaces"])
    except OSError as error:
        raise InputError(
            f"can't enter node {node} of {found['name']}: {error}; run it with sudo: {with_sudo('live')}"
        ) from error
    words = list(command) or prompting.shell(_prompt(found, int(number)))
    os.environ |= {
        "TWORAY_NODE": number,
        "TWORAY_NAME": Nodes.of(found).short(int(number)),
        "TWORAY_ADDRESS": about["address"],
        "TWORAY_DEVICE": about["device"],
    }
    sys.stdout.flush()
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise InputError(f"can't start {words[0]}: {error.strerror}") from error


def _prompt(found: dict[str, Any], node: int) -> str:
    return f"[{found['name']} {Nodes.of(found).short(node)}] $ "


def steer(name: str | None, command: str) -> str:
    """Change a network that is up, or that of a ``live run``; return the line of a script that was done.

    Raises:
        InputError: there is no such network, or the command is wrong.

    """
    found = _find(name)
    if found.get("scratch") is not None:
        _refuse_run(found)
        return _steer_virtual(found, command)
    return str(helm.ask(_place(found), {"steer": command})["line"])


def watched(name: str | None) -> tuple[dict[str, Any], Callable[[], dict[str, Any]]]:
    """Return the description of a network, and what looks at it for a watcher.

    A look raises ``InputError`` once the network has ended.

    Raises:
        InputError: there is no such network.

    """
    found = _find(name, "; `live run --virtual` is too fast to watch but with --pace")
    place = _place(found)
    if found.get("scratch") is None:
        return found, partial(helm.ask, place, {"view": True})
    from tworay.virtual import shells

    return found, partial(shells.view, Path(found["scratch"]), lambda: _is_held(place))


def _refuse_run(found: dict[str, Any]) -> None:
    """Refuse the network of ``live run --virtual``, whose bytes are to be the same every time."""
    if found.get("run"):
        raise InputError(
            f"{found['name']} is a `live run --virtual`, which can only be watched: give it --script FILE, "
            "or use `tworay live up --virtual`"
        )


def _steer_virtual(found: dict[str, Any], command: str) -> str:
    from tworay.virtual import shells

    place = _place(found)
    return shells.steer(Path(found["scratch"]), command, lambda: _is_held(place))


def _enter_virtual(found: dict[str, Any], node: int, command: Sequence[str]) -> NoReturn:
    """Run a command, or line by line what the user types, and end with the last exit code."""
    from tworay.virtual import shells

    scratch, place = Path(found["scratch"]), _place(found)

    def alive() -> bool:
        return _is_held(place)

    if command:
        code, _ = shells.run(scratch, node, command, alive)
    else:
        code = shells.interact(scratch, node, _prompt(found, node), alive)
    raise SystemExit(code)


def _place(found: dict[str, Any]) -> Path:
    return (HOME if found.get("scratch") is None else VIRTUAL_HOME) / str(found["name"])


def _places() -> list[Path]:
    homes = [home for home in (HOME, VIRTUAL_HOME) if home.is_dir()]
    return sorted(place for home in homes for place in home.glob("[!.]*"))


def standing() -> list[dict[str, Any]]:
    """Return the descriptions of all networks that are up."""
    places = _places()
    return [_read(place) for place in places if (place / STATE).is_file() and _is_held(place)]


def _find(name: str | None, also: str = "") -> dict[str, Any]:
    found = standing()
    names = ", ".join(one["name"] for one in found)
    if not found:
        raise InputError(f"no live network is up; `tworay live up SCENARIO` starts one{also}")
    if name is None:
        # Those of `live run` in other terminals are not in the way of the one that stands.
        found = [one for one in found if not one.get("run")] or found
        if len(found) > 1:
            raise InputError(f"several live networks are up ({names}); name one")
        return found[0]
    for one in found:
        if one["name"] == _checked(name):
            return one
    raise InputError(f"no live network {name} is up; there are {names}")


def _checked(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise InputError(f"--name {name!r}: use letters, digits, dots, dashes and underscores, at most 64")
    return name


def _read(place: Path) -> dict[str, Any]:
    state: dict[str, Any] = json.loads((place / STATE).read_text(encoding="utf-8"))
    return state


def _is_held(place: Path) -> bool:
    """Return whether the process of a network lives. The kernel releases its lock when it ends."""
    try:
        # Reading is enough to ask, also about a network of root.
        lock = os.open(place / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _sweep() -> dict[str, str]:
    """Remove the directories of networks whose process is gone; return names and last lines of the logs."""
    gone = {}
    for place in _places():
        if not _is_held(place):
            said = ""
            with contextlib.suppress(OSError):
                lines = (place / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
                said = lines[-1] if lines else ""
            shutil.rmtree(place, ignore_errors=True)
            # Those of root stay.
            if not place.exists():
                gone[place.name] = said
    return gone
