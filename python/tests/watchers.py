"""Who watches a live network, for tests: `tworay live watch` and its stream of looks."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import time
import urllib.request
from typing import TYPE_CHECKING, Any

from conftest import command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def events(
    address: str, wanted: Callable[[str, dict[str, Any]], bool], seconds: float = 20
) -> list[tuple[str, dict[str, Any]]]:
    """Read the stream of a watcher until an event is there, for so many seconds at most."""
    found: list[tuple[str, dict[str, Any]]] = []
    end = time.monotonic() + seconds
    with urllib.request.urlopen(f"{address}events", timeout=20) as stream:
        kind = ""
        while time.monotonic() < end:
            line = stream.readline().decode()
            if line.startswith("event: "):
                kind = line[7:].strip()
            elif line.startswith("data: "):
                found.append((kind, json.loads(line[6:])))
                if wanted(*found[-1]):
                    return found
    raise AssertionError(found[-3:])


@contextlib.contextmanager
def watched(name: str) -> Iterator[str]:
    """Run ``live watch``; gives its address."""
    watch = subprocess.Popen(command("live", "watch", name), stderr=subprocess.PIPE, text=True)
    assert watch.stderr is not None
    try:
        said = watch.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", said)
        assert address is not None, said
        yield address[0]
    finally:
        watch.send_signal(signal.SIGINT)
        code = watch.wait(20)
        watch.stderr.close()
    assert code == 0
