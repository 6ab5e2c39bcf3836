"""The check of wheels (``make wheel``), and what a wheel takes along."""

from __future__ import annotations

import re
import struct
import tomllib
import zipfile
from pathlib import Path

import pytest

from studies.packaging import wheel

ROOT = Path(__file__).parents[2]
NAME = "tworay-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl"


def program(*needs: str, objects: int = 0, machine: int = 62) -> bytes:
    """Return an ELF file with these dynamic strings, and BPF objects behind it."""

    def header(machine: int, sections: int = 0, count: int = 0) -> bytes:
        ident = wheel.ELF + bytes(9)
        return ident + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, sections, 0, 64, 0, 0, 64, count, 0)

    strings = b"\0" + b"\0".join(need.encode() for need in needs) + b"\0"
    sections = b"".join(
        struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, place, size, link, 0, 0, 0)
        for kind, place, size, link in ((0, 0, 0, 0), (11, 0, 0, 2), (3, 64, len(strings), 0))
    )
    head = header(machine, 64 + len(strings), 3)
    return head + strings + sections + header(wheel.EM_BPF) * objects


def made(folder: Path, files: dict[str, bytes], name: str = NAME, mode: int = 0o755) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in files.items():
            info = zipfile.ZipInfo(member)
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return path


GOOD = {
    "tworay/__init__.py": b"",
    wheel.MODULE: program("libc.so.6", "GLIBC_2.28"),
    wheel.LOADER: program("libc.so.6", "GLIBC_2.2.5", objects=6),
}


def test_a_complete_wheel_has_no_problem(tmp_path: Path) -> None:
    assert wheel.problems(made(tmp_path, GOOD), {"tworay/__init__.py"}) == []


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"tworay/__init__.py": b""}, f"{wheel.MODULE} is missing"),
        (GOOD | {"tworay/left_over.py": b""}, "tworay/left_over.py does not belong there"),
        (GOOD | {wheel.LOADER: program("libelf.so.1", objects=6)}, "needs libelf.so.1"),
        (GOOD | {wheel.LOADER: program("libc.so.6")}, "holds no BPF object"),
        (GOOD | {wheel.MODULE: program("GLIBC_2.34")}, "needs glibc 2.34"),
        (GOOD | {wheel.MODULE: b"text"}, "no ELF file"),
    ],
)
def test_problems_are_named(tmp_path: Path, files: dict[str, bytes], said: str) -> None:
    (problem,) = wheel.problems(made(tmp_path, files), {"tworay/__init__.py"})[:1]
    assert said in problem


def test_size_tag_and_mode_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"tworay/__init__.py"}
    newer = made(tmp_path, GOOD, NAME.replace("2_28", "2_34"))
    assert any("its tag" in one for one in wheel.problems(newer, files))
    assert any("not executable" in one for one in wheel.problems(made(tmp_path, GOOD, mode=0o644), files))
    monkeypatch.setattr(wheel, "LARGEST", 10)
    assert any("MB; allowed" in one for one in wheel.problems(made(tmp_path, GOOD), files))


def test_a_wheel_is_expected_to_hold_stubs_viewer_papers_and_recipes() -> None:
    files = wheel.tracked()
    for name in ("_native.pyi", "py.typed", "report/built/run.js", "virtual/kernel/config"):
        assert f"tworay/{name}" in files
    papers = {name.split("/")[2] for name in files if re.fullmatch(r"tworay/papers/[\w-]+/claims.toml", name)}
    assert len(papers) >= 6
    assert not any(name.endswith((".so", ".pyc")) for name in files)


def test_the_sources_hold_the_loader_and_the_wheel_its_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = {one["path"]: one["format"] for one in project["tool"]["maturin"]["include"]}
    assert included["python/tworay/kernel/tworay-kernel"] == "wheel"
    assert included["crates/tworay-kernel/**/*"] == "sdist"
