"""`make kernel-matrix`: the archive that a kernel unpacks, machines that hang, what counts as working."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from studies.kernel_matrix import initramfs
from studies.kernel_matrix.machine import Booted, boot, read
from studies.kernel_matrix.packages import Image
from studies.kernel_matrix.page import judge, others, page

SENT = {
    "controller": "tworay_vegas", "left": "reno", "seconds": 5.0, "segments": 3060, "resent": 60,
    "rtt_us": 20000, "acked_bytes": 3000001, "complete": True, "linear": 0, "linear_after": 0,
}  # fmt: skip
EVENTS: list[dict[str, object]] = [
    {"sign": "dup-acks", "guess": "channel"},
    {"sign": "dup-acks", "guess": "congestion"},
    {"sign": "timeout", "guess": "channel"},
]
GONE = {"unloaded": "tworay_vegas", "gone": True}


def entries(data: bytes) -> dict[str, tuple[int, bytes]]:
    """Read an archive by the rules of Linux' buffer-format.rst: 13 numbers of eight hexadecimal digits."""
    found, at = {}, 0
    while True:
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name = data[at + 110 : at + 110 + name_size - 1].decode()
        assert data[at + 110 + name_size - 1] == 0
        # The header with its name, and the content, end at multiples of four bytes.
        begin = -(-(at + 110 + name_size) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (mode, data[begin : begin + size])
        at = -(-(begin + size) // 4) * 4


def test_an_archive_holds_its_files_and_a_console() -> None:
    files = {
        "bin": (stat.S_IFDIR | 0o755, b""),
        "bin/sh": (stat.S_IFLNK | 0o777, b"busybox"),
        "init": (stat.S_IFREG | 0o755, b"12345"),
        "x": (stat.S_IFREG | 0o644, b""),
    }
    found = entries(initramfs.archive(files))
    assert found == {**files, "dev/console": (stat.S_IFCHR | 0o600, b"")}
    # Linux needs a directory before what is in it.
    assert list(found).index("bin") < list(found).index("bin/sh")


def test_libraries_of_a_program_come_with_their_directories() -> None:
    found = initramfs.libraries(Path(sys.executable).resolve())
    name = next(name for name in found if Path(name).name.startswith("libc.so"))
    assert found[name][1] == Path(f"/{name}").read_bytes()
    assert stat.S_ISDIR(found[str(Path(name).parent)][0])


def test_a_machine_that_hangs_is_ended_and_its_step_named() -> None:
    script = "echo '@begin load sca'; echo '@end 0'; echo '@begin send sca'; echo '|half'; exec sleep 600"
    booted = boot(["sh", "-c", script], 1.0)
    assert booted.seconds < 30
    assert booted.problem is not None
    assert "was ended after 1 s, in step send sca" in booted.problem
    assert [(step.name, step.code, step.output) for step in booted.steps] == [
        ("load", 0, ""), ("send", None, "half\n"),
    ]  # fmt: skip


def test_a_kernel_that_panics_is_no_success() -> None:
    booted = boot(["sh", "-c", "echo 'Kernel panic - not syncing'; exit 3"], 60.0)
    assert booted.problem is not None
    assert "ended with code 3, before its first step; its last lines: Kernel panic" in booted.problem
    assert booted.problem in others(booted)


def console(
    load: str, sent: dict[str, object], events: list[dict[str, object]], gone: dict[str, object]
) -> Booted:
    lines = ["@begin kernel -", "|6.1.0-test", "@end 0", "@begin load vegas", *load.splitlines()]
    lines += ["@begin send vegas", *[f"|{json.dumps(one)}" for one in (sent, *events)], "@end 0"]
    lines += ["@begin unload vegas", f"|{json.dumps(gone)}", "@end 0"]
    lines += ["@begin measure reno", '|{"costs": [{"kind": "timeout", "count": 3}]}', "@end 0"]
    lines += ["@begin leftovers -", '|{"maps": [], "programs": []}', "@end 0", "@begin warnings -", "@end 0"]
    return Booted(read([*lines, "@done"]), lines, 10.0, None)


def test_a_controller_that_works_has_its_figures_in_the_table() -> None:
    booted = console('|{"loaded": "tworay_vegas"}\n@end 0', SENT, EVENTS, GONE)
    cell = judge(booted, "vegas")
    assert cell.wrong == []
    assert cell.row[1:] == ["yes", "3060", "60", "2", "1", "channel 2, congestion 1", "yes", "ok"]
    assert others(booted) == []
    lines, wrong = page([(Image("linux-image-6.1", "6.1.9-1", Path(), Path()), booted)], ["vegas"], "Made.")
    assert wrong == 0
    assert "## Linux 6.1.0-test" in lines
    assert any("stats` beside a transfer by the kernel's reno: 3 × timeout" in line for line in lines)


@pytest.mark.parametrize(
    ("change", "events", "gone", "text"),
    [
        ({"controller": "cubic"}, EVENTS, GONE, "the connection used cubic"),
        ({"complete": False}, EVENTS, GONE, "the data arrived changed or not complete"),
        ({"linear_after": 1}, EVENTS, GONE, "TCP_THIN_LINEAR_TIMEOUTS stayed set"),
        ({}, EVENTS[:2], GONE, "it noticed no loss by the timer"),
        ({}, EVENTS[2:], GONE, "it noticed no loss by duplicate ACKs"),
        ({}, EVENTS, {"gone": False}, "the kernel did not free it"),
    ],
)
def test_what_is_wrong_is_named(
    change: dict[str, object], events: list[dict[str, object]], gone: dict[str, object], text: str
) -> None:
    cell = judge(console("@end 0", SENT | change, events, gone), "vegas")
    assert cell.wrong == [text]
    assert cell.row[-1] == text


def test_a_refusal_keeps_the_verifiers_message() -> None:
    booted = console(
        "|0: (79) r7 = *(u64 *)(r1 +8)\n|invalid bpf_context access off=8 size=8\n@end 1", SENT, [], GONE
    )
    cell = judge(booted, "vegas")
    assert cell.wrong == ["refused"]
    assert cell.row[1] == "refused"
    lines, wrong = page([(Image("p", "1", Path(), Path()), booted)], ["vegas", "sca"], "Made.")
    assert "invalid bpf_context access off=8 size=8" in lines
    # The machine never came to the second one.
    assert wrong == 2
