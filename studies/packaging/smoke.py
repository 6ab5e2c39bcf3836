"""Install the wheel where there is nothing but Python, and use it: ``make wheel-check``.

The wheel, its dependencies and the tools of this check are fetched into ``target/wheel/house`` first, with
pip's own configuration. Everything else happens in a mount namespace with a root of its own, which holds the
system's Python, its libraries and no compiler, cargo, Node or clang, and in a network namespace without a
network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from studies.packaging.wheel import ROOT

HOUSE = ROOT / "target/wheel/house"
INSIDE = Path(__file__).with_name("inside.py")
PYTHON = Path("/usr/bin/python3")
EXTRAS = "cluster,env,pandas,tune"
# What a newcomer may have: pipx and uv install programs, IPython runs cells of notebooks.
TOOLS = ("ipython", "pip", "pipx", "uv")
# Folders with libraries; those that are links are made again.
LIBRARIES = ("/lib", "/lib64", "/usr/lib64", "/usr/lib/x86_64-linux-gnu")
COPIED = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/passwd")
DEVICES = ("null", "zero", "urandom", "random")


def main() -> None:
    """Fetch, make the root, run the check inside."""
    wheel = _wheel(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
    _fetch(wheel)
    with tempfile.TemporaryDirectory(prefix="tworay-root-") as place:
        script = _script(Path(place))
        order = ["unshare", "--mount", "--net", "--pid", "--fork"]
        if os.geteuid() != 0:
            order[1:1] = ["--user", "--map-root-user"]
        done = subprocess.run([*order, "/bin/sh", "-euc", script], check=False)
    sys.exit(done.returncode)


def _wheel(folder: Path) -> Path:
    found = sorted(folder.glob("tworay-*.whl"))
    if len(found) != 1:
        sys.exit(f"{folder} holds {len(found)} wheels of tworay; `make wheel` builds one")
    return found[0]


def _fetch(wheel: Path) -> None:
    """Download the dependencies for the system's Python; what is there already stays."""
    HOUSE.mkdir(parents=True, exist_ok=True)
    for old in HOUSE.glob("tworay-*.whl"):
        old.unlink()
    shutil.copy2(wheel, HOUSE)
    # pip of this environment may belong to another Python than the system's.
    version = subprocess.run(
        [PYTHON, "-c", "import sys; print('{}.{}'.format(*sys.version_info))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    order = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    order += ["--only-binary=:all:", "--python-version", version, "--dest", str(HOUSE)]
    order += ["--find-links", str(HOUSE), f"{HOUSE / wheel.name}[{EXTRAS}]", *TOOLS]
    subprocess.run(order, check=True)


def _script(root: Path) -> str:
    """Return the commands that fill the root within the namespace and enter it."""
    python = PYTHON.resolve()
    chroot = shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin:/bin")
    lines = []
    # The programs that uv installs are shell scripts.
    binds = [str(python), "/bin/sh", "/usr/bin/dirname", "/usr/bin/realpath", f"/usr/lib/{python.name}"]
    # The dynamic loader's folder may be a link into /usr.
    for folder in LIBRARIES:
        path = Path(folder)
        if path.is_symlink():
            lines.append(f"mkdir -p {root}{path.parent} && ln -s {path.readlink()} {root}{path}")
        elif path.is_dir():
            binds.append(folder)
    binds += [f"/dev/{name}" for name in DEVICES]
    for one in binds:
        path = Path(one)
        make = (
            f"mkdir -p {root}{one}" if path.is_dir() else f"mkdir -p {root}{path.parent} && touch {root}{one}"
        )
        lines += [make, f"mount --bind {path.resolve()} {root}{one}"]
    lines += [
        f"mkdir -p {root}{Path(one).parent} && cp {one} {root}{one}" for one in COPIED if Path(one).is_file()
    ]
    lines += [
        f"mkdir -p {root}/proc {root}/house {root}/home {root}/tmp {root}/check",
        f"mount -t proc proc {root}/proc",
        f"mount --bind -o ro {HOUSE} {root}/house",
        f"cp {INSIDE} {root}/check/inside.py",
        f"exec env -i PATH=/usr/bin:/bin HOME=/home LANG=C.UTF-8 {chroot} {root} {python} /check/inside.py",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
