"""The socket of a running network: other commands change it there, and look at it.

A request is one line of JSON, and so is the answer: ``{"steer": "move roof 120,80"}`` is answered with the
line of a script that was done, ``{"view": true}`` with what a watcher sees, anything wrong with ``error``.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError, TworayError, with_options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tworay.live.network import Network

NAME = "helm"
# No request is longer, bytes; and none takes longer, seconds.
MOST, WITHIN = 4096, 15.0


@contextlib.contextmanager
def served(network: Network, place: Path) -> Iterator[None]:
    """Answer requests for a network at a socket in its directory until the end."""
    path = place / NAME
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with listener, contextlib.ExitStack() as stack:
        # Only the user of the network may change it.
        mask = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(mask)
        stack.callback(path.unlink, missing_ok=True)
        listener.listen()
        # Wakes the thread that waits for requests.
        stack.callback(listener.shutdown, socket.SHUT_RDWR)
        threading.Thread(target=_serve, args=(network, listener), daemon=True).start()
        yield


def _serve(network: Network, listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(network, connection), daemon=True).start()


def _answer(network: Network, connection: socket.socket) -> None:
    with contextlib.suppress(OSError), connection:
        connection.settimeout(WITHIN)
        with connection.makefile("rb") as asks:
            line = asks.readline(MOST)
        connection.sendall(respond(network, line).encode() + b"\n")


def respond(network: Network, line: bytes) -> str:
    """Return the answer to a request."""
    try:
        request = json.loads(line)
        if "steer" in request:
            return json.dumps({"line": network.steer(str(request["steer"]))})
        return network.view()
    except (ValueError, TypeError):
        return json.dumps({"error": "the request is no JSON"})
    except TworayError as error:
        return json.dumps({"error": with_options(error)})


def ask(place: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request to the network of a directory and return its answer.

    Raises:
        InputError: the network does not answer, or refuses the request.

    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(WITHIN)
            connection.connect(str(place / NAME))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as answers:
                answer: dict[str, Any] = json.loads(answers.readline())
    except (OSError, ValueError) as error:
        raise InputError(f"the live network {place.name} does not answer ({error}); is it yours?") from error
    if "error" in answer:
        raise InputError(str(answer["error"]))
    return answer
