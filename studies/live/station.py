"""Helpers of the tests of live networks: the command, what runs at the stations, what must not be left."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

BLOCK = 4096
# A busy machine may be late: the tests are about bytes, not about time.
PATIENT = ("--most-late", "2000")
# Two hops; the only relay is off from 4 s to 14 s, or later by as much as is asked for: OLSR takes its time
# to know the routes at first.
OFF_AT, BACK_AT = 4.0, 14.0


def off(later: float = 0.0) -> str:
    """Return the scenario of a relay that goes off and comes back."""
    return f"""
name = "off"
duration = "90s"
[topology]
kind = "string"
hops = 2
[[flow]]
from = 0
to = 2
[[event]]
node = 1
at = "{OFF_AT + later}s"
what = "down"
[[event]]
node = 1
at = "{BACK_AT + later}s"
what = "up"
"""


def tworay(*arguments: str | Path) -> list[str]:
    """Return the command ``tworay live`` with these arguments."""
    return [sys.executable, "-m", "tworay", "live", *map(str, arguments)]


def content(size: int) -> bytes:
    """Return bytes that no part of which looks like another."""
    parts = [hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(size // 32 + 1)]
    return b"".join(parts)[:size]


def namespaces() -> set[str]:
    """Return the network namespaces of all processes and descriptors of this machine."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        places = [process / "ns" / "net"]
        with contextlib.suppress(OSError):
            places += list((process / "fd").iterdir())
        for place in places:
            with contextlib.suppress(OSError):
                target = str(place.readlink())
                if target.startswith("net:"):
                    found.add(target)
    return found


def inside(namespaces: set[str]) -> list[int]:
    """Return the processes in these network namespaces."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str((process / "ns" / "net").readlink()) in namespaces:
                found.append(int(process.name))
    return found


def serve(size: int, port: int = 8000) -> None:
    """Serve ``size`` bytes over HTTP until killed."""
    whole = content(size)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole)

        def log_message(self, *_: object) -> None:
            pass

    http.server.ThreadingHTTPServer(("", port), Handler).serve_forever()


def fetch(url: str, connections: int) -> None:
    """Fetch ``url`` over several connections at once and print the SHA-256 of each answer."""

    def one() -> None:
        while True:
            try:
                with urllib.request.urlopen(url, timeout=60) as answer:
                    digest = hashlib.sha256(answer.read()).hexdigest()
                break
            except urllib.error.URLError as error:
                # The server is not up yet.
                if not isinstance(error.reason, ConnectionRefusedError):
                    raise
                time.sleep(0.2)
        with lock:
            print(digest, flush=True)

    lock = threading.Lock()
    threads = [threading.Thread(target=one) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        fetch(sys.argv[2], int(sys.argv[3]))
