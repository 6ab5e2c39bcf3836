"""Check a wheel: what it holds, its size, its tag, and the C library that its programs need.

``python -m studies.packaging.wheel dist/tworay-*.whl``; part of ``make wheel``.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "python/tworay"
# Bytes of the packed file.
LARGEST = 25_000_000
TAG = re.compile(r"cp311-abi3-manylinux_2_(\d+)_x86_64\.whl$")
NEWEST_GLIBC = 28
MODULE, LOADER = "tworay/_native.abi3.so", "tworay/kernel/tworay-kernel"
# Libraries that every Linux with this C library has (PEP 600).
GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1"}
GLIBC |= {"libutil.so.1", "ld-linux-x86-64.so.2"}
# A controller's BPF object is an ELF file of machine 247, kept inside the loader.
ELF = b"\x7fELF\x02\x01\x01"
EM_BPF = 247


def main() -> None:
    """Check the wheels named on the command line."""
    for name in sys.argv[1:]:
        wrong = problems(Path(name))
        for one in wrong:
            print(f"{name}: {one}", file=sys.stderr)
        if wrong:
            sys.exit(1)
        print(f"{name}: {Path(name).stat().st_size / 1e6:.1f} MB, complete")


def problems(wheel: Path, expected: set[str] | None = None) -> list[str]:
    """Return what is wrong with a wheel; ``expected`` are its files, by default those of the checkout."""
    found = []
    tag = TAG.search(wheel.name)
    if tag is None or int(tag[1]) > NEWEST_GLIBC:
        found.append(f"its tag is not cp311-abi3-manylinux_2_{NEWEST_GLIBC}_x86_64 or older")
    size = wheel.stat().st_size
    if size > LARGEST:
        found.append(f"{size / 1e6:.1f} MB; allowed are {LARGEST / 1e6:.0f} MB")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        wanted = (tracked() if expected is None else expected) | {MODULE, LOADER}
        found += [f"{name} is missing" for name in sorted(wanted - names)]
        found += [f"{name} does not belong there" for name in sorted(_package(names) - wanted)]
        for program in sorted({MODULE, LOADER} & names):
            found += _of_program(program, archive.read(program))
        if LOADER in names:
            if not archive.getinfo(LOADER).external_attr >> 16 & 0o100:
                found.append(f"{LOADER} is not executable")
            if not _objects(archive.read(LOADER)):
                found.append(f"{LOADER} holds no BPF object: clang was missing when it was built")
    return found


def tracked() -> set[str]:
    """Return the package's files in git, as a wheel names them."""
    order = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", PACKAGE]
    listed = subprocess.run(order, capture_output=True, check=True).stdout.decode().split("\0")
    return {name.removeprefix("python/") for name in listed if name and (ROOT / name).is_file()}


def _package(names: set[str]) -> set[str]:
    return {name for name in names if name.startswith("tworay/")}


def _of_program(name: str, data: bytes) -> list[str]:
    """Return what a program needs that not every Linux of the tag has."""
    if not data.startswith(ELF):
        return [f"{name} is no ELF file of x86-64"]
    texts = _dynamic_strings(data)
    libraries = {text for text in texts if re.fullmatch(r"[\w+-]+\.so(\.\d+)*", text)}
    versions = [int(text.split(".")[1]) for text in texts if re.fullmatch(r"GLIBC_2\.\d+(\.\d+)?", text)]
    found = [f"{name} needs {library}" for library in sorted(libraries - GLIBC - {Path(name).name})]
    if max(versions, default=0) > NEWEST_GLIBC:
        found.append(f"{name} needs glibc 2.{max(versions)}")
    return found


def _dynamic_strings(data: bytes) -> list[str]:
    """Return the strings of the section ``.dynstr`` (System V ABI, chapter 4)."""
    place, size, count = *struct.unpack_from("<Q", data, 40), *struct.unpack_from("<HH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, place + size * index) for index in range(count)]
    # Type 11 is the table of dynamic symbols; its link is the number of its strings' section.
    for header in headers:
        if header[1] == 11:
            strings = headers[header[6]]
            section = data[strings[4] : strings[4] + strings[5]]
            return [text.decode("ascii", "replace") for text in section.split(b"\0")]
    return []


def _objects(data: bytes) -> int:
    """Return the number of BPF objects within a program."""
    starts = [match.start() for match in re.finditer(re.escape(ELF), data)]
    return sum(struct.unpack_from("<H", data, start + 18)[0] == EM_BPF for start in starts)


if __name__ == "__main__":
    main()
