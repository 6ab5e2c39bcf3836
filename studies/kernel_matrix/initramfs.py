"""The files of the emulated machine, as an archive that its kernel unpacks into memory (cpio, newc)."""

from __future__ import annotations

import lzma
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from studies.kernel_matrix import packages
from tworay.kernel import loader

if TYPE_CHECKING:
    from collections.abc import Mapping

GUEST = Path(__file__).parent / "guest"
DIRECTORY = (stat.S_IFDIR | 0o755, b"")
DIRECTORIES = ("bin", "dev", "lib", "lib64", "modules", "proc", "sys", "tmp")
# What init.sh uses of busybox. Its own `ip` and `tc` lack segment sizes and netem.
APPLETS = ("sh", "mount", "insmod", "sed", "grep", "cat", "uname", "dmesg", "usleep", "kill", "reboot")
PROGRAMS = ("ip", "tc")
# Modules that the machine loads, below a kernel's directory.
MODULES = ("kernel/net/sched/sch_netem.ko",)
LIBRARY = re.compile(r"(/\S+) \(0x")


def entry(number: int, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """Return a file of the archive (Linux, Documentation/driver-api/early-userspace/buffer-format.rst)."""
    words = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % word for word in words) + name.encode() + b"\0"
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def archive(files: Mapping[str, tuple[int, bytes]]) -> bytes:
    """Return an archive of files: mode and content by path; a console is added."""
    parts = [entry(number, name, mode, data) for number, (name, (mode, data)) in enumerate(files.items(), 1)]
    parts.append(entry(len(parts) + 1, "dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    return b"".join([*parts, entry(0, "TRAILER!!!", 0)])


def files(image: packages.Image, settings: Mapping[str, str]) -> dict[str, tuple[int, bytes]]:
    """Return the files of a machine that runs guest/init.sh with these shell variables."""
    found: dict[str, tuple[int, bytes]] = dict.fromkeys(DIRECTORIES, DIRECTORY)

    def program(name: str, data: bytes) -> None:
        found[name] = (stat.S_IFREG | 0o755, data)

    program("bin/busybox", packages.busybox().read_bytes())
    for applet in APPLETS:
        found[f"bin/{applet}"] = (stat.S_IFLNK | 0o777, b"busybox")
    for name in PROGRAMS:
        where = shutil.which(name)
        assert where is not None, name
        program(f"bin/{name}", Path(where).read_bytes())
        found |= libraries(Path(where))
    program("bin/tworay-kernel", loader().read_bytes())
    found |= libraries(loader())
    program("bin/transfer", transfer())
    for name in ("air.sh", "outage.sh"):
        program(name, (GUEST / name).read_bytes())
    # Spaces in values come from here only: names of controllers.
    assigned = "".join(f"{name}='{value}'\n" for name, value in settings.items())
    text = (GUEST / "init.sh").read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    program("init", f"{head}\n{assigned}{rest}".encode())
    for module in MODULES:
        found[f"modules/{Path(module).name}"] = (stat.S_IFREG | 0o644, content(image.modules / module))
    return found


def content(module: Path) -> bytes:
    """Return a module; newer packages compress them."""
    packed = module.with_name(f"{module.name}.xz")
    if module.is_file():
        return module.read_bytes()
    if packed.is_file():
        return lzma.decompress(packed.read_bytes())
    raise SystemExit(
        f"{module} is missing, also with .xz: this kernel's package has no netem, which the machine needs"
    )


def libraries(program: Path) -> dict[str, tuple[int, bytes]]:
    """Return the libraries that a program of this machine loads, by their paths."""
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
    paths = [Path(path) for path in LIBRARY.findall(listed)]
    found: dict[str, tuple[int, bytes]] = {}
    for path in paths:
        for parent in reversed(path.parents[:-1]):
            found[str(parent)[1:]] = DIRECTORY
        found[str(path)[1:]] = (stat.S_IFREG | 0o755, path.read_bytes())
    return found


def transfer() -> bytes:
    """Return the program that sends, compiled."""
    with tempfile.TemporaryDirectory() as place:
        made = Path(place) / "transfer"
        words = [
            "gcc",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-static",
            "-o",
            str(made),
            str(GUEST / "transfer.c"),
        ]
        subprocess.run(words, check=True)
        return made.read_bytes()
