"""An SSH server at every station, which the other stations reach by name: ``--ssh``.

The keys are made for this network, and are in the stations' own ``/etc``: they disappear with it. Nothing
listens outside the network's namespaces.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay.live.network import Network

# Where sshd is, though it may be in no user's path.
PLACES = "/usr/sbin:/sbin:/usr/local/sbin"
# Time for a server to listen, seconds.
LISTENS_WITHIN = 10.0
# Where the stations have their keys.
HOME = "/etc/ssh/tworay"
# The station's own copy of the client's settings begins with these: the first of several counts.
CLIENT = f"""Host *
  IdentityFile {HOME}/key
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""
SERVER = f"""HostKey {HOME}/key
AuthorizedKeysFile {HOME}/key.pub
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
StrictModes no
UsePAM no
PidFile none
Subsystem sftp internal-sftp
"""
# The key is not in any command line, and sshd has none of the variables.
SCRIPT = f"""
set -e
umask 077
mkdir -p {HOME} /run/sshd
# A user's machine in virtual time can't read the host's file: to sshd, root's account is locked then.
head -c 1 /etc/shadow >/dev/null 2>&1 || {{ rm -f /etc/shadow; echo 'root:*:20000::::::' >/etc/shadow; }}
# It drops its rights to this user, who may be missing where it was not installed as a package.
grep -q ^sshd: /etc/passwd || echo sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin >>/etc/passwd
printf '%s' "$SSH_KEY" >{HOME}/key
printf '%s' "$SSH_PUBLIC" >{HOME}/key.pub
printf '%s' "$SSH_SERVER" >{HOME}/sshd_config
{{ printf '%s' "$SSH_CLIENT"; cat /etc/ssh/ssh_config 2>/dev/null || true; }} >{HOME}/client
cat {HOME}/client >/etc/ssh/ssh_config
chmod 644 /etc/ssh/ssh_config {HOME}/key.pub
program=$SSH_PROGRAM
unset SSH_KEY SSH_PUBLIC SSH_SERVER SSH_CLIENT SSH_PROGRAM
exec "$program" -D -f {HOME}/sshd_config 2>/dev/null
"""


def program() -> str:
    """Return the path of sshd.

    Raises:
        InputError: it is not installed.

    """
    found = shutil.which("sshd", path=f"{os.environ.get('PATH', os.defpath)}:{PLACES}")
    if found is None or shutil.which("ssh-keygen") is None:
        raise InputError(
            "--ssh needs sshd, which is not installed: `sudo apt-get install openssh-server` (or the "
            "package of your system)"
        )
    # It starts itself anew by its path for each connection.
    return str(Path(found).resolve())


def start(network: Network) -> None:
    """Start a server at every station, and wait until all listen.

    Raises:
        InputError: sshd is not installed, stations have no files of their own, or a server does not start.

    """
    sshd = program()
    if network.shared_files is not None:
        raise InputError(
            "--ssh needs stations with files of their own, but mounts are refused here: "
            f"{network.shared_files}"
        )
    private, public = _keys()
    # To other programs a number is an IP address.
    numbers = "".join(f"Host {node}\n  HostName {network.address(node)}\n" for node in network.stations)
    programs = {}
    for node in network.stations:
        settings = SERVER + "SetEnv " + " ".join(f"{k}={v}" for k, v in network.about(node).items()) + "\n"
        client = CLIENT + numbers
        texts = {"KEY": private, "PUBLIC": public, "SERVER": settings, "CLIENT": client, "PROGRAM": sshd}
        env = {f"SSH_{name}": text for name, text in texts.items()}
        programs[node] = network.start(node, ["sh", "-c", SCRIPT], env=env, apart=True)
    until = time.monotonic() + LISTENS_WITHIN
    for node, server in programs.items():
        while not network.listens(server.pid):
            if (code := server.wait(0.02)) is not None or time.monotonic() > until:
                ended = "does not listen" if code is None else f"ended with exit code {code}"
                raise InputError(
                    f"--ssh: {sshd} at node {node} {ended}; `tworay live shell {node} -- {sshd} -t -f "
                    f"{HOME}/sshd_config` says why"
                )


def _keys() -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as place:
        key = Path(place) / "key"
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tworay", "-f", str(key)],
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return key.read_text(encoding="ascii"), key.with_suffix(".pub").read_text(encoding="ascii")
