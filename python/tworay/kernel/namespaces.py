"""Choosing a controller for a network namespace, as ``tworay live run --congestion NAME`` does."""

from __future__ import annotations

import os
import subprocess

from tworay.errors import RunError


def choose(controller: str, namespace: str | None = None) -> str:
    """Make ``controller`` the one of new connections in a namespace (a name of ``ip netns``), or in this one.

    Returns which one was chosen before. Connections that exist keep theirs.
    """
    inside = [] if namespace is None else ["ip", "netns", "exec", namespace]
    key = "net.ipv4.tcp_congestion_control"
    before = _run([*inside, "sysctl", "-n", key]).strip()
    _run([*inside, "sysctl", "-q", "-w", f"{key}={controller}"])
    return before


def _run(command: list[str]) -> str:
    process = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    if process.returncode != 0:
        said = (process.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise RunError(f"{' '.join(command)}: {said}")
    return process.stdout
