"""``tworay doctor``: what works here, and the line that adds the rest."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.machine import checks

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from conftest import Result

    Cli = Callable[..., Result]


def test_the_document_has_every_part_and_a_remedy_for_what_is_missing(cli: Cli) -> None:
    done = cli("doctor", "--json")
    assert done.code == 0
    found = {one["name"]: one for one in done.document["checks"]}
    expected = {"simulator", "memory", "TUN device", "network namespaces", "virtual time", "kernel with BTF"}
    assert expected | {"kernel controllers", "clang", "valgrind", "energy counter"} <= set(found)
    assert found["simulator"]["works"]
    for one in found.values():
        assert (one["remedy"] is None) == one["works"], one
        assert one["found"]
        assert one["used_for"]


def test_the_text_names_each_part_and_keeps_a_remedy_on_one_line(cli: Cli) -> None:
    done = cli("doctor", "--json")
    text = cli("doctor").out
    for one in done.document["checks"]:
        assert one["name"] in text
        if not one["works"]:
            assert f"add: {one['remedy']}\n" in text
    works = sum(one["works"] for one in done.document["checks"])
    assert text.endswith(f"{works} of {len(done.document['checks'])} parts work on this machine.\n")


def test_a_broken_simulator_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from tworay.cli.whole import app

    broken = checks.Check("simulator", False, "broken", "everything", "install it again")
    monkeypatch.setattr(checks, "checks", lambda: [broken])
    assert CliRunner().invoke(app, ["doctor"]).exit_code == 1


def test_parts_that_are_missing_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    absent = checks.tun(tmp_path / "tun")
    assert not absent.works
    assert "modprobe tun" in str(absent.remedy)
    (tmp_path / "tun").touch()
    assert checks.tun(tmp_path / "tun").works
    assert not checks.btf(tmp_path / "vmlinux").works
    (tmp_path / "vmlinux").touch()
    assert checks.btf(tmp_path / "vmlinux").works
    status = tmp_path / "status"
    # Bit 21 is CAP_SYS_ADMIN (linux/capability.h).
    status.write_text(f"Name:\tx\nCapEff:\t{1 << 21:016x}\n", encoding="ascii")
    assert checks.bpf_rights(status).works
    status.write_text(f"CapEff:\t{(1 << 21) - 1:016x}\n", encoding="ascii")
    assert not checks.bpf_rights(status).works
    monkeypatch.setattr(checks.importlib.util, "find_spec", lambda name: None)
    assert checks.extra("tune").remedy.endswith("-m pip install 'tworay[tune]'")  # type: ignore[union-attr]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    virtual = checks.virtual_kernel()
    assert not virtual.works
    assert "tworay live kernel build" in str(virtual.remedy)


def test_little_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tworay.running.memory.available", lambda: 100_000_000)
    assert not checks.memory().works
    monkeypatch.setattr("tworay.running.memory.available", lambda: None)
    assert checks.memory().works


def test_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    declared = project["optional-dependencies"]
    assert set(declared) == set(checks.EXTRAS)
    for name, (modules, _) in checks.EXTRAS.items():
        assert [one.partition(">")[0] for one in declared[name]] == list(modules)
