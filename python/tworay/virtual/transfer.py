"""One end of a flow of an arm ``kernel:NAME``: a program without imports that take time.

``serve PORT WINDOW MSS``, or ``send HOST PORT WHEN UNTIL BYTES MSS``. Times are of the kernel
(CLOCK_MONOTONIC, s). ``WINDOW`` is the scenario's window in bytes, ``BYTES`` the length of the transfer (0:
until ``UNTIL``), ``MSS`` the most payload of a segment (0: as the device allows).
"""

import errno
import socket
import sys
import time
from contextlib import suppress

TCP_WINDOW_CLAMP = 10
SO_RCVBUFFORCE = 33
ROOM = 4
"""Bytes of the receiver's buffer for each byte of its window."""
CHUNK = bytes(16384)
PATIENCE = 0.1
# Linux counts the timestamps of every segment (RFC 7323 §3.2, padded) to TCP_MAXSEG.
TIMESTAMPS = 12


def endpoint(mss: int) -> socket.socket:
    """Return a socket that sends and takes segments of ``mss`` bytes."""
    found = socket.socket()
    if mss:
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, mss + TIMESTAMPS)
    return found


def serve(port: int, window: int, mss: int) -> None:
    """Read everything of one connection that carries something."""
    server = endpoint(mss)
    # A buffer of a given size, with room for what Linux counts beside the payload: one that grows by itself
    # takes the window along, beyond its limit.
    server.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM * window)
    server.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, window)
    server.bind(("0.0.0.0", port))
    server.listen()
    received = 0
    # A sender that gave up while its handshake ended, and tries again, leaves a connection without data.
    while not received:
        connection = server.accept()[0]
        with suppress(ConnectionResetError):
            while data := connection.recv(1 << 16):
                received += len(data)
                # Kernels since 6.5 set the limit anew by what segments take beside their payload.
                connection.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, window)
        connection.close()


def send(host: str, port: int, when: float, until: float, length: int, mss: int) -> None:
    """Send from ``when`` on."""
    time.sleep(max(0.0, when - time.monotonic()))
    while True:
        connection = endpoint(mss)
        try:
            connection.connect((host, port))
            break
        except OSError:
            # No route yet, or every SYN was lost: TCP gave up, the application does not.
            connection.close()
            time.sleep(PATIENCE)
    sent = 0
    while time.monotonic() < until and (length == 0 or sent < length):
        sent += connection.send(CHUNK[: length - sent] if length else CHUNK)
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)


def main() -> None:
    """Run one end. The network's end aborts its connection, which a sender may close at that moment."""
    what, *words = sys.argv[1:]
    try:
        if what == "serve":
            serve(int(words[0]), int(words[1]), int(words[2]))
        else:
            numbers = (int(words[1]), float(words[2]), float(words[3]), int(words[4]), int(words[5]))
            send(words[0], *numbers)
    except OSError as error:
        if error.errno not in (errno.ECONNABORTED, errno.ENOTCONN):
            raise


if __name__ == "__main__":
    main()
