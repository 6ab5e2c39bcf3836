"""Judges what the machines did, and writes docs/studies/kernel-matrix.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tworay.papers.markdown import listed, prose, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.kernel_matrix.machine import Booted
    from studies.kernel_matrix.packages import Image

HEAD = [
    "controller", "loaded", "segments", "sent again", "losses noticed by duplicate ACKs", "by the timer",
    "guesses", "unloaded", "verdict",
]  # fmt: skip
HOW = """Each kernel boots in an emulated machine (QEMU, which translates instructions, so no KVM is needed),
with the loader of this package. A program sends 3,000 segments of 1000 bytes over the loopback
device, whose packets take 10 ms each way. 2 % of them are lost in each direction, and all of them
for two seconds in the middle. *Losses noticed* are the controller's own events (`tworay kernel
events`). *ok* means: the data arrived unchanged, losses were noticed by duplicate ACKs and by the
timer, the connection could leave the controller, and the kernel freed it afterwards. What is wrong
otherwise, such as a warning of the kernel, is listed below a table. Rates are not compared: an
emulator is many times slower than its processor."""
# Lines of a refusal on the page: the verifier's reason is in the last ones.
KEPT = 12


class Cell(NamedTuple):
    """A controller in a kernel: a row of the table, and what is wrong (empty: nothing)."""

    row: list[str]
    wrong: list[str]
    message: str


def judge(booted: Booted, name: str) -> Cell:
    """Judge a controller: loaded, data complete, losses of both kinds noticed, and gone afterwards."""
    load, send, unload = (booted.of(step, name) for step in ("load", "send", "unload"))
    kernel_name, wrong = f"tworay_{name}", []
    if load is None:
        return Cell(_row(kernel_name, "not tried"), ["the machine did not come to it"], "")
    if load.code != 0:
        what = "hung" if load.code is None else "refused"
        return Cell(_row(kernel_name, what), [what], load.output.strip())
    if send is None or send.code != 0:
        wrong.append("the transfer hung" if send is None or send.code is None else "the transfer failed")
        return Cell(_row(kernel_name, "yes"), wrong, "" if send is None else send.output.strip())
    found = send.documents()
    sent: dict[str, Any] = next(one for one in found if "segments" in one)
    events = [one for one in found if "sign" in one]
    quick = [one for one in events if one["sign"] == "dup-acks"]
    late = [one for one in events if one["sign"] == "timeout"]
    gone = unload is not None and unload.code == 0 and unload.documents()[0]["gone"]
    for bad, text in (
        (sent["controller"] != kernel_name, f"the connection used {sent['controller']}"),
        (sent["left"] != "reno", "the connection could not leave the controller"),
        (not sent["complete"], "the data arrived changed or not complete"),
        (sent["resent"] == 0, "nothing was sent again"),
        (not quick, "it noticed no loss by duplicate ACKs"),
        (not late, "it noticed no loss by the timer"),
        (sent["linear_after"] != 0, "TCP_THIN_LINEAR_TIMEOUTS stayed set"),
        (not gone, "the kernel did not free it"),
    ):
        if bad:
            wrong.append(text)
    guesses: dict[str, int] = {}
    for event in events:
        if event["guess"] is not None:
            guesses[event["guess"]] = guesses.get(event["guess"], 0) + 1
    row = [
        f"`{kernel_name}`", "yes", *map(str, (sent["segments"], sent["resent"], len(quick), len(late))),
        ", ".join(f"{guess} {count}" for guess, count in sorted(guesses.items())) or "–",
        "yes" if gone else "no", "; ".join(wrong) or "ok",
    ]  # fmt: skip
    return Cell(row, wrong, "" if gone or unload is None else unload.output.strip())


def _row(name: str, loaded: str) -> list[str]:
    return [f"`{name}`", loaded, *["–"] * (len(HEAD) - 3), "**no**"]


def others(booted: Booted) -> list[str]:
    """Return what is wrong beside the controllers: measuring, leftovers, the kernel's warnings."""
    wrong = []
    if booted.problem is not None:
        wrong.append(booted.problem)
    link, measure = booted.of("link"), booted.of("measure", "reno")
    left, warned = booted.of("leftovers"), booted.of("warnings")
    if link is not None and link.code:
        wrong.append(f"the path can't be made: {link.output.strip()}")
    if measure is None or measure.code != 0:
        wrong.append(f"`tworay kernel stats` failed: {'' if measure is None else measure.output.strip()}")
    elif not any(one.get("costs") for one in measure.documents()):
        wrong.append("`tworay kernel stats` measured nothing")
    if left is not None and left.code == 0 and left.documents() != [{"maps": [], "programs": []}]:
        wrong.append(f"programs or maps are left in the kernel: {left.output.strip()}")
    if warned is not None and warned.output.strip():
        wrong.append(f"the kernel warned: {warned.output.strip().splitlines()[0]}")
    return wrong


def measured(booted: Booted) -> str:
    """Return what `tworay kernel stats` measured of a transfer by reno, in words."""
    step = booted.of("measure", "reno")
    costs: list[dict[str, Any]] = (
        next((one["costs"] for one in step.documents() if "costs" in one), []) if step is not None else []
    )
    counts = ", ".join(f"{one['count']} × {one['kind']}" for one in costs)
    return counts or "nothing"


def page(
    runs: Sequence[tuple[Image, Booted]], controllers: Sequence[str], about: str
) -> tuple[list[str], int]:
    """Return the lines of the page, and the number of things that are wrong."""
    lines = [
        "# Controllers in kernels of the distribution", "",
        "In which kernels do tworay's controllers load, and do they work there?", "", *prose(about),
    ]  # fmt: skip
    lines += prose(HOW)
    total = 0
    for image, booted in runs:
        name = booted.of("kernel")
        release = name.output.strip() if name is not None else image.package
        lines += [f"## Linux {release}", ""]
        lines += prose(
            f"Package `{image.package}` {image.version}; the machine ran for {booted.seconds:.0f} s."
        )
        cells = [judge(booted, controller) for controller in controllers]
        lines += table(HEAD, [cell.row for cell in cells])
        for controller, cell in zip(controllers, cells, strict=True):
            if cell.message:
                kept = cell.message.splitlines()[-KEPT:]
                lines += [f"`tworay_{controller}`:", "", "```text", *kept, "```", ""]
        wrong = others(booted)
        total += len(wrong) + sum(bool(cell.wrong) for cell in cells)
        lines += prose(f"`tworay kernel stats` beside a transfer by the kernel's reno: {measured(booted)}.")
        lines += listed(wrong) if wrong else []
    return lines, total
