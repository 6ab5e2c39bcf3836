"""``tworay live watch``: a page on localhost that follows a network while it runs."""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.naming import Nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    Look = Callable[[], dict[str, Any]]

# Interval of looks at the network, seconds.
LOOK = 0.25
# Nothing is loaded from elsewhere, and nothing but this page may ask.
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'"
FILES = {
    "/": ("watch", "watch.html", "text/html"),
    "/watch.js": ("watch", "watch.js", "text/javascript"),
    "/watch.css": ("watch", "watch.css", "text/css"),
    "/viewer.css": ("", "viewer.css", "text/css"),
}


class Handler(BaseHTTPRequestHandler):
    """Serves the page and the stream of looks."""

    look: Look
    about: dict[str, Any]
    server_version = "tworay"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer a request."""
        # Rejects requests that another site's page makes under its own host name.
        if (self.headers.get("Host") or "").rsplit(":", 1)[0] not in ("127.0.0.1", "localhost"):
            self._answer(HTTPStatus.FORBIDDEN, "text/plain", b"This server answers to localhost only.\n")
        elif self.path == "/events":
            self._stream()
        elif self.path in FILES:
            folder, name, kind = FILES[self.path]
            package = "tworay.live" if folder else "tworay.report"
            data = resources.files(package).joinpath(folder or "built", name).read_bytes()
            self._answer(HTTPStatus.OK, kind, data)
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"There is nothing here. The page is at /.\n")

    def _answer(self, status: HTTPStatus, kind: str, data: bytes) -> None:
        self._head(status, f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _head(self, status: HTTPStatus, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")

    def _stream(self) -> None:
        """Send the network's names, then a look several times per second, until it or the reader goes."""
        self._head(HTTPStatus.OK, "text/event-stream")
        self.end_headers()
        try:
            self._send("about", self.about)
            while True:
                try:
                    view = self.look()
                except InputError:
                    self._send("ended", {})
                    return
                self._send("view", view)
                time.sleep(LOOK)
        except OSError:
            return

    def _send(self, event: str, document: dict[str, Any]) -> None:
        self.wfile.write(f"event: {event}\ndata: {json.dumps(document)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Don't log requests."""


def server(look: Look, found: dict[str, Any], port: int) -> ThreadingHTTPServer:
    """Return a server on localhost that shows a network by looks at it; port 0: any that is free.

    Raises:
        InputError: the network does not answer, or the port is taken.

    """
    nodes = len(look()["nodes"])
    named = Nodes.of({"names": found.get("all_names", found.get("names"))})
    about = {
        "name": found["name"],
        "scenario": found["scenario"],
        "names": [named.short(node) for node in range(nodes)],
        "stations": [int(node) for node in found["nodes"]],
        # Time stands still between commands, and is never late.
        "virtual": found.get("scratch") is not None,
    }
    handler = type("WatchHandler", (Handler,), {"look": staticmethod(look), "about": about})
    try:
        serving = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise InputError(f"--port {port}: {error.strerror}; name another one, or 0 for any") from error
    # A stream that is open does not keep the command from ending.
    serving.daemon_threads = True
    return serving
