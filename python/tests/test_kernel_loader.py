"""The package and its loader: of one version, answering in time, or a message that says what to do."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tworay import kernel
from tworay.errors import RunError
from tworay.live.diagnosing import Listener

if TYPE_CHECKING:
    from collections.abc import Callable

# Loaders before the handshake took the first word for the command, and followed without saying so.
WITHOUT_A_HANDSHAKE = """#!/bin/sh
case "$1" in
list) echo '{"controllers": [], "refusal": null}' ;;
events | stats) sleep 60 ;;
*) echo "usage: tworay-kernel list | load NAME [KEY=VALUE]... | unload NAME | events SECONDS|-" >&2; exit 2 ;;
esac
"""
SILENT = "#!/bin/sh\nexec sleep 60\n"
OF_A_LATER_FORM = f"""#!/bin/sh
[ "$1 $2" = "--protocol {kernel.PROTOCOL + 1}" ] && exit 0
echo "tworay-kernel speaks protocol {kernel.PROTOCOL + 1}, not $2" >&2
exit 3
"""

USES: dict[str, Callable[[], object]] = {
    "list": kernel.controllers,
    "load": lambda: kernel.load("sca"),
    "events": lambda: list(kernel.events(0.1)),
    "stats": lambda: kernel.Measuring().__enter__(),
    "live": lambda: Listener("tworay_welcome").__enter__(),
}


@pytest.fixture
def loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def put(script: str) -> Path:
        place = tmp_path / "tworay-kernel"
        place.write_text(script)
        place.chmod(0o755)
        monkeypatch.setattr(kernel, "LOADER", place)
        return place

    return put


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("script", [WITHOUT_A_HANDSHAKE, OF_A_LATER_FORM], ids=["earlier", "later"])
def test_a_loader_of_another_version_is_named_at_once(
    loader: Callable[[str], Path], use: str, script: str
) -> None:
    place = loader(script)
    began = time.monotonic()
    with pytest.raises(RunError) as refused:
        USES[use]()
    assert time.monotonic() - began < 5
    message = str(refused.value)
    assert str(place) in message
    assert "another version" in message
    assert "`make kernel`" in message


@pytest.mark.parametrize("use", USES)
def test_a_loader_that_says_nothing_is_not_waited_for_without_end(
    loader: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, use: str
) -> None:
    place = loader(SILENT)
    monkeypatch.setattr(kernel, "ANSWERS_WITHIN", 0.3)
    began = time.monotonic()
    with pytest.raises(RunError, match=r"did not answer within 0\.3 s"):
        USES[use]()
    assert time.monotonic() - began < 5
    # It was ended as well.
    assert not any(str(place).encode() in _read(file) for file in Path("/proc").glob("[0-9]*/cmdline"))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_the_loader_that_is_installed_speaks_the_packages_protocol() -> None:
    """And refuses another one, and none, with exit code 3."""
    found, _ = kernel.controllers()
    assert found
    for words in (["list"], ["--protocol", str(kernel.PROTOCOL + 1), "list"], ["--protocol", "x", "list"]):
        done = subprocess.run([kernel.loader(), *words], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"protocol {kernel.PROTOCOL}" in done.stderr


MEASURED = """#!/bin/sh
echo measuring >&2
cat >/dev/null
cat <<END
{"costs": [
{"controller": "cubic", "kind": "timeout", "sack": true, "mean_ns": 34882, "std_ns": 0, "count": 1},
{"controller": "cubic", "kind": "dup_ack", "sack": false, "mean_ns": 100, "std_ns": 10, "count": 4}
], "seconds": 1.0, "joules": null}
END
"""


def test_what_was_measured_once_has_no_interval(loader: Callable[[str], Path]) -> None:
    """Four: t of 3 degrees of freedom is 3.182, and 3.182 · 10 / √3 = 18.4."""
    program = (
        "import pathlib, sys\n"
        "from tworay import kernel\n"
        "from tworay.cli.main import main\n"
        f"kernel.LOADER = pathlib.Path({str(loader(MEASURED))!r})\n"
        "sys.argv = ['tworay', 'kernel', 'stats', '--seconds', '0.1']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    once, four, _ = done.stdout.splitlines()
    assert once.split() == ["cubic", "timeout,", "SACK", "34,882", "ns", "1", "times"]
    assert four.split() == ["cubic", "dup_ack", "100", "±", "18", "ns", "4", "times"]
