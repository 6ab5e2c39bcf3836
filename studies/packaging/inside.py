"""``make wheel-check`` where there is no compiler: install the wheel, use it, and measure the time."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

HOUSE = Path("/house")
VENV = Path("/home/venv")
WORK = Path("/home/work")
PYTHON = str(VENV / "bin/python")
TWORAY = str(VENV / "bin/tworay")
# From `pip install` to the first verdict.
WITHIN_SECONDS = 60.0
ABSENT = ("cargo", "rustc", "cc", "gcc", "clang", "ld", "make", "node", "npm", "zig")
SWEEP = 'scenario = ["string-2"]\ntcp = ["newreno", "vegas"]\nseeds = 4\n[set]\nduration = "10s"\n'
CELL = """
import tworay
result = tworay.compare("string-2", tcp=["reno", "vegas"], seeds=2, set={"duration": "5s"})
result.table
"""
OFFLINE = ("--no-index", f"--find-links={HOUSE}")


def main() -> None:
    """Do every step; the first that fails ends the check."""
    there = [name for name in ABSENT if shutil.which(name)]
    if there:
        sys.exit(f"this root holds {', '.join(there)}, so the check would say nothing")
    WORK.mkdir(parents=True)
    os.chdir(WORK)
    _run(sys.executable, "-m", "venv", "--without-pip", str(VENV))
    (pip,) = HOUSE.glob("pip-*.whl")
    began, worked = time.monotonic(), _processor()
    _pip(pip, "tworay")
    installed = time.monotonic()
    said = _run(
        TWORAY, "compare", "string-4", "--tcp", "tahoe,newreno,vegas", "--seeds", "10", "--out", "first"
    )
    verdict = time.monotonic()
    first = next(line for line in said.splitlines() if line.startswith(("Best in", "No difference")))
    cpu = _processor() - worked
    print(
        f"pip install: {installed - began:.1f} s; then to the first verdict: {verdict - installed:.1f} s; "
        f"{cpu:.1f} s of processor time\n  {first}",
        flush=True,
    )
    # Beside other work the clock says more about that work.
    took = min(verdict - began, cpu)
    if took > WITHIN_SECONDS:
        sys.exit(f"{took:.0f} s from `pip install` to the verdict; allowed are {WITHIN_SECONDS:g} s")
    for what, step in STEPS.items():
        began = time.monotonic()
        step()
        print(f"{what}: {time.monotonic() - began:.1f} s", flush=True)


def _processor() -> float:
    """Return the processor time of all programs that have ended, seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(*order: str, **variables: str) -> str:
    """Run a program and return its output; end the check if it fails."""
    done = subprocess.run(
        order,
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ) | {"COLUMNS": "200"} | variables,
    )
    if done.returncode:
        sys.exit(f"{' '.join(order)}\n{done.stdout}{done.stderr}")
    return done.stdout


def _pip(pip: Path, *wanted: str) -> None:
    _run(sys.executable, f"{pip}/pip", "--python", PYTHON, "install", "--quiet", *OFFLINE, *wanted)


def _expect(condition: bool, text: str) -> None:
    if not condition:
        sys.exit(text)


def report() -> None:
    """Write the page of the comparison."""
    _run(TWORAY, "report", "first")
    page = Path("first/report.html").read_text(encoding="utf-8")
    _expect("<script" in page and len(page) > 100_000, "report.html lacks the viewer")


def figure() -> None:
    """Draw a plot."""
    _run(TWORAY, "plot", "first", "box", "-o", "box.svg")
    _expect("<svg" in Path("box.svg").read_text(encoding="utf-8"), "box.svg is no picture")


def sweep() -> None:
    """Do the halves of a sweep in two processes, and join them."""
    Path("sweep.toml").write_text(SWEEP, encoding="utf-8")
    halves = [
        subprocess.Popen(
            [TWORAY, "sweep", "sweep.toml", "--shard", f"{part}/2", "--out", f"half{part}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for part in (1, 2)
    ]
    for half in halves:
        said = half.communicate()[1]
        _expect(half.returncode == 0, said)
    _run(TWORAY, "merge", "half1", "half2", "--out", "whole")
    # Two variants, four seeds.
    text = _run(TWORAY, "table", "whole")
    _expect("newreno" in text and "vegas" in text, text)


def papers() -> None:
    """Read the claims of the papers, the built-in scenarios and the type stubs."""
    document = json.loads(_run(TWORAY, "reproduce", "--list", "--json"))
    _expect(len(document["claims"]) > 400, "claims of papers are missing")
    _run(TWORAY, "new", "mesh.toml")
    _run(TWORAY, "run", "mesh.toml", "--set", "duration=5s")


def controllers() -> None:
    """List the controllers of the kernel: the loader starts, and holds its BPF objects."""
    document = json.loads(_run(TWORAY, "kernel", "list", "--json"))
    _expect(len(document["controllers"]) >= 6, "the loader holds no controllers")
    document = json.loads(_run(TWORAY, "doctor", "--json"))
    _expect(document["checks"][0]["works"], "doctor: the simulator does not work")


def cell() -> None:
    """Run a cell of a notebook."""
    (pip,) = HOUSE.glob("pip-*.whl")
    _pip(pip, "ipython")
    code = "from IPython.core.interactiveshell import InteractiveShell\n"
    code += f"done = InteractiveShell.instance().run_cell({CELL!r})\n"
    code += "done.raise_error()\nassert 'goodput' in done.result._repr_html_()"
    _run(PYTHON, "-c", code)


def extras() -> None:
    """Install every extra, and use it."""
    (pip,) = HOUSE.glob("pip-*.whl")
    _pip(pip, "tworay[cluster,env,pandas,tune]")
    _run(
        PYTHON,
        "-c",
        "import distributed, gymnasium, optuna, tworay; tworay.Env; tworay.run('string-2').flows.to_pandas()",
    )


def uvx() -> None:
    """Run the program by uvx, without installing it."""
    (uv,) = HOUSE.glob("uv-*.whl")
    (pip,) = HOUSE.glob("pip-*.whl")
    _pip(pip, str(uv))
    order = [str(VENV / "bin/uv"), "tool", "run", "--offline", *OFFLINE, "--python", sys.executable]
    said = _run(*order, "--from", "tworay", "tworay", "--version")
    _expect(said.startswith("tworay "), said)


def pipx() -> None:
    """Install the program by pipx."""
    (pip,) = HOUSE.glob("pip-*.whl")
    _pip(pip, "pipx", "pip")
    _run(PYTHON, "-m", "pipx", "install", "--backend", "uv", f"--pip-args={' '.join(OFFLINE)}", "tworay")
    said = _run("/home/.local/bin/tworay", "--version")
    _expect(said.startswith("tworay "), said)


STEPS = {
    "report": report,
    "figure": figure,
    "sweep of two processes": sweep,
    "papers, a new scenario": papers,
    "kernel controllers, doctor": controllers,
    "notebook cell": cell,
    "extras": extras,
    "uvx": uvx,
    "pipx": pipx,
}


if __name__ == "__main__":
    main()
