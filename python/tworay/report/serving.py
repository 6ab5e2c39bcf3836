"""``tworay view``: a directory of many results on localhost, with an index."""

from __future__ import annotations

import html
import json
import re
from datetime import datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from tworay.errors import InputError, OutputError, with_options
from tworay.report.page import esc, whole_page
from tworay.report.writing import REPORT, render

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANIFEST = "tworay.json"
# Levels of directories that are searched.
DEPTH = 4


class Found(NamedTuple):
    """A result directory: where it is below the root, what made it, and of which scenario."""

    place: str
    command: str
    name: str
    changed: float


def find(root: Path) -> list[Found]:
    """Return the results below a directory, itself included."""
    return sorted(_found(root, root, DEPTH))


def _found(root: Path, folder: Path, depth: int) -> Iterator[Found]:
    manifest = folder / MANIFEST
    if manifest.is_file():
        try:
            about = json.loads(manifest.read_text(encoding="utf-8"))
            name = str(about.get("scenario") or about.get("name") or folder.name)
            place = folder.relative_to(root).as_posix()
            yield Found(place, str(about["command"]), name, manifest.stat().st_mtime)
        except (OSError, ValueError, KeyError, AttributeError):
            return
        return
    title = _written_by_us(folder / REPORT)
    if title:
        # The page of a paper lies above the directories of its experiments.
        place = folder.relative_to(root).as_posix()
        yield Found(place, "reproduce", title, (folder / REPORT).stat().st_mtime)
    if depth:
        try:
            inner = sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink())
        except OSError:
            return
        for one in inner:
            if not one.name.startswith("."):
                yield from _found(root, one, depth - 1)


def _written_by_us(report: Path) -> str:
    """Return the title of a report of tworay, or nothing for any other file."""
    try:
        with report.open(encoding="utf-8", errors="replace") as file:
            head = file.read(4000)
    except OSError:
        return ""
    title = re.search(r"<title>(.*?)</title>", head)
    return html.unescape(title[1]) if title and '<meta name="generator" content="tworay ' in head else ""


def index_page(root: Path) -> str:
    """Return the list of the results below a directory."""
    rows = [
        f'<tr><th scope="row"><a href="/{esc(quote(one.place))}/{REPORT}">{esc(one.place)}</a></th>'
        f"<td>{esc(one.command)}</td><td>{esc(one.name)}</td><td>{_when(one.changed)}</td></tr>"
        for one in find(root)
    ]
    name = esc(root.resolve())
    body = (
        f'<header class="page-head"><h1>Results in {name}</h1></header>'
        '<div class="scroll" tabindex="0" role="group" aria-label="Results"><table><thead><tr>'
        '<th scope="col">directory</th><th scope="col">made by</th><th scope="col">of</th>'
        '<th scope="col">written</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        if rows
        else f"<h1>Results in {name}</h1><p>There are none: <code>--out DIR</code> writes some.</p>"
    )
    return whole_page("Results – tworay", body, {"kind": "figures"})


def _when(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M")


class Handler(BaseHTTPRequestHandler):
    """Serves the index and reports; no other file of the directory."""

    root: Path
    made: dict[Path, tuple[float, str]]
    server_version = "tworay"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer a request."""
        # Rejects requests that another site's page makes under its own host name.
        if (self.headers.get("Host") or "").rsplit(":", 1)[0] not in ("127.0.0.1", "localhost"):
            self._answer(HTTPStatus.FORBIDDEN, "This server answers to localhost only.")
            return
        path = unquote(urlsplit(self.path).path).strip("/")
        if not path:
            self._answer(HTTPStatus.OK, index_page(self.root))
            return
        place = path.removesuffix(REPORT).rstrip("/") or "."
        known = {one.place: one for one in find(self.root)}
        if not path.endswith(REPORT) or place not in known:
            self._answer(HTTPStatus.NOT_FOUND, "There are no such results. The index is at /.")
            return
        try:
            self._answer(HTTPStatus.OK, self._page(self.root / place, known[place]))
        except (InputError, OutputError) as error:
            self._answer(
                HTTPStatus.INTERNAL_SERVER_ERROR, f"These results can't be shown: {with_options(error)}"
            )

    def _page(self, folder: Path, about: Found) -> str:
        """Return a result's page: the stored one if it is up to date, or a new one."""
        changed = max((file.stat().st_mtime for file in folder.iterdir() if file.name != REPORT), default=0.0)
        written = folder / REPORT
        paper = about.command == "reproduce"
        if written.is_file() and (paper or written.stat().st_mtime >= changed):
            return written.read_text(encoding="utf-8")
        time, text = self.made.get(folder, (-1.0, ""))
        if time < changed:
            text = render(folder)
            self.made[folder] = (changed, text)
        return text

    def _answer(self, status: HTTPStatus, text: str) -> None:
        if not text.startswith("<!doctype"):
            text = whole_page(status.phrase, f"<h1>{esc(status.phrase)}</h1><p>{esc(text)}</p>")
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Don't log requests."""


def server(root: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of a directory's reports on localhost; port 0: any that is free."""
    if not root.is_dir():
        raise InputError(f"{root}: there is no such directory")
    handler = type("RootHandler", (Handler,), {"root": root, "made": {}})
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise InputError(f"--port {port}: {error.strerror}; name another one, or 0 for any") from error
