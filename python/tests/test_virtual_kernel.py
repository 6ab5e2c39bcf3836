"""`tworay live kernel`: builds into the cache completely or not at all, and says what is missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import Result, command

from tworay.virtual import building, cache

if TYPE_CHECKING:
    from collections.abc import Callable

    from forking import Forks

# A source of Linux as far as the build looks at it.
VERSION = "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\n"
# Stands for make: writes the configuration that was asked for, then "compiles" as long as it is told.
MAKE = """#!/bin/sh
for word; do
  case $word in
    KCONFIG_ALLCONFIG=*) cp "${word#*=}" .config ;;
    linux) for n in 1 2 3; do echo "  CC      file$n.o"; done; sleep SECONDS; echo kernel > linux ;;
  esac
done
"""


class Builder:
    """Builds with a source and programs that stand for the real ones."""

    def __init__(self, place: Path, forks: Forks) -> None:
        self.place = place
        self._forks = forks
        self.source, self.programs = place / "source", place / "bin"
        self.source.mkdir()
        self.programs.mkdir()
        (self.source / "Makefile").write_text(VERSION, encoding="ascii")
        (self.source / "Kconfig").touch()
        self.program("patch", "#!/bin/sh\n")
        self.program("flex", "#!/bin/sh\n")
        self.program("bison", "#!/bin/sh\n")
        self.program("m4", "#!/bin/sh\n")
        self.program("make", MAKE.replace("SECONDS", "0"))

    def program(self, name: str, text: str) -> None:
        (self.programs / name).write_text(text, encoding="ascii")
        (self.programs / name).chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        path = f"{self.programs}:{os.environ['PATH']}"
        return os.environ | {"XDG_CACHE_HOME": str(self.place / "cache"), "PATH": path}

    @property
    def cached(self) -> list[str]:
        kernels = self.place / "cache/tworay/kernels"
        return sorted(path.name for path in kernels.iterdir() if path.name != ".lock")

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command("live", "kernel", "build", "--source", self.source),
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def run(self, *arguments: str | Path) -> Result:
        words = ["live", "kernel", *map(str, arguments)]
        return Result(self._forks.run(words, Path.cwd(), self.environment, seconds=60))


@pytest.fixture
def builder(tmp_path: Path, forks: Forks) -> Builder:
    return Builder(tmp_path, forks)


def test_a_kernel_is_built_once_and_listed(builder: Builder) -> None:
    empty = builder.run("list")
    assert empty.code == 0
    assert "`tworay live kernel build` builds it" in empty.out
    first = builder.run("build", "--source", builder.source)
    assert first.code == 0, first.err
    name = f"6.1.7-{cache.recipe()}"
    assert f"built {name}" in first.err
    assert builder.cached == [name]
    program = Path(first.out.strip())
    assert program.read_text(encoding="ascii") == "kernel\n"
    again = builder.run("build", "--source", builder.source)
    assert f"is in the cache already: {name}" in again.err
    assert builder.run("path").out == first.out
    (listed,) = builder.run("list", "--json").document
    assert listed == {"name": name, "version": "6.1.7", "path": str(program), "usable": True}


def test_kernels_of_another_recipe_are_listed_but_not_used(builder: Builder) -> None:
    place = builder.place / "cache/tworay/kernels/6.1.9-00000000"
    place.mkdir(parents=True)
    (place / "about.json").write_text(
        json.dumps({"version": "6.1.9", "recipe": "00000000"}), encoding="ascii"
    )
    assert "of another version of tworay" in builder.run("list").out
    without = builder.run("path")
    assert without.code == 2
    assert "has one of another version of tworay" in without.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_build_leaves_nothing_that_counts(builder: Builder, number: signal.Signals) -> None:
    builder.program("make", MAKE.replace("SECONDS", "30"))
    process = builder.start()
    assert process.stderr is not None
    while "building Linux 6.1.7" not in process.stderr.readline():
        assert process.poll() is None
    time.sleep(0.3)
    os.kill(process.pid, number)
    process.communicate(timeout=20)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert builder.cached == []
    assert "no kernel in" in builder.run("list").out
    builder.program("make", MAKE.replace("SECONDS", "0"))
    assert builder.run("build", "--source", builder.source).code == 0
    assert builder.cached == [f"6.1.7-{cache.recipe()}"]


def test_a_build_that_fails_says_why_and_keeps_its_log(builder: Builder) -> None:
    builder.program("make", "#!/bin/sh\necho 'file.c:3: error: no such thing' >&2; exit 2\n")
    failed = builder.run("build", "--source", builder.source)
    assert failed.code == 1
    assert "error: no such thing" in failed.err
    log = builder.place / "cache/tworay/kernels/failed.log"
    assert str(log) in failed.err
    assert "no such thing" in log.read_text(encoding="utf-8")


def test_a_source_without_a_part_of_the_configuration_is_refused(builder: Builder) -> None:
    builder.program("make", "#!/bin/sh\necho CONFIG_TUN=y > .config\n")
    refused = builder.run("build", "--source", builder.source)
    assert refused.code == 1
    assert "this version of Linux has no CONFIG_64BIT=y" in refused.err


def test_patches_that_do_not_apply_are_named(builder: Builder) -> None:
    (builder.programs / "patch").unlink()
    refused = builder.run("build", "--source", builder.source)
    assert refused.code == 1
    assert "10-random-seed.patch does not apply to Linux 6.1.7" in refused.err


def test_a_directory_without_linux_is_refused(cli: Callable[..., Result]) -> None:
    refused = cli("live", "kernel", "build", "--source", ".")
    assert refused.code == 2
    assert "--source .: this is no source of Linux" in refused.err


def test_missing_packages_are_named_with_the_line_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(building.shutil, "which", lambda name: None)
    with pytest.raises(building.InputError, match=r"sudo apt-get install gcc make tar xz-utils libc6-dev"):
        building._build(tmp_path, tmp_path, 1)


def test_progress_says_the_time_left() -> None:
    # Half of the steps took a minute.
    assert building.progress(building.STEPS // 2, 60.0) == " 50 %, 60 s, 60 s left"
    assert building.progress(0, 1.0) == "  0 %, 1 s"
    # A version with more steps does not reach 100 % before its end.
    assert building.progress(2 * building.STEPS, 99.0).startswith(" 99 %")


def test_the_patches_carry_the_licence_of_the_kernel() -> None:
    assert "GNU GENERAL PUBLIC LICENSE" in (cache.RECIPE / "COPYING").read_text(encoding="utf-8")
    added = [patch for patch in cache.patches() if "--- /dev/null" in patch.read_text(encoding="utf-8")]
    assert added
    for patch in added:
        assert "+// SPDX-License-Identifier: GPL-2.0" in patch.read_text(encoding="utf-8")
