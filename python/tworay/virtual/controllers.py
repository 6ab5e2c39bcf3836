"""The congestion controllers of the kernel in virtual time: ``kernel:NAME`` as an arm of comparisons."""

from __future__ import annotations

import platform

from tworay.errors import InputError
from tworay.running.control import controller_in

# Those of the kernel's configuration (``kernel/config``), and reno.
CONTROLLERS = (
    "reno", "bbr", "bic", "cdg", "cubic", "dctcp", "westwood", "highspeed", "hybla", "htcp", "vegas", "nv",
    "veno", "scalable", "lp", "yeah", "illinois",
)  # fmt: skip
OURS = "tworay_"


def check_machine() -> None:
    """Refuse a machine on which virtual time does not run."""
    if platform.machine() not in ("x86_64", "AMD64"):
        raise InputError(f"virtual time needs an x86-64 machine; this one is {platform.machine()}")


def check_controller(name: str, where: str) -> None:
    """Refuse a controller that the kernel in virtual time lacks; ``where`` is how the user wrote it."""
    if name.startswith(OURS):
        raise InputError(
            f"{where}: tworay's controllers are BPF programs, and the kernel in virtual time (User Mode "
            "Linux) can't load those: it has no BPF trampolines; `tworay live run` without --virtual can"
        )
    if name not in CONTROLLERS:
        raise InputError(f"{where}: the kernel has no such controller; it has {', '.join(CONTROLLERS)}")


def controller_of(variant: str) -> str:
    """Return the controller that an arm such as ``kernel:cubic`` names.

    Raises:
        InputError: there is no such controller, or this machine has no virtual time.

    """
    check_machine()
    name = controller_in(variant)
    check_controller(name, f"--tcp {variant}")
    return name
