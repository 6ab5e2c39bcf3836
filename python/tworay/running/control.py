"""Define TCP variants in Python.

A variant is a class with callbacks, all optional; ``help(tworay.CongestionControl)`` lists them. Give it to
``tworay.run`` and ``tworay.compare`` as a class, or on the command line as ``--tcp mine.py:Mine``.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import traceback
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from tworay import _native
from tworay._native import (
    AckEvent,
    LossEvent,
    RateSample,
    Reaction,
    RtoEvent,
    RttEvent,
    Scenario,
    SenderState,
    Window,
)
from tworay.errors import InputError, ScenarioError

__all__ = [
    "AckEvent",
    "CongestionControl",
    "LossEvent",
    "LossPredictor",
    "RateSample",
    "Reaction",
    "RtoEvent",
    "RttEvent",
    "SenderState",
    "Window",
]

Recovery: TypeAlias = Literal["tahoe", "reno", "newreno", "sack"]
Answer: TypeAlias = "Window | tuple[float, float] | float | None"

KERNEL = "kernel:"
CALLBACKS = ("on_ack", "on_loss", "on_rto", "on_rtt", "on_rate")
PREDICTOR_CALLBACKS = ("on_ack", "on_rtt", "contention")


class CongestionControl:
    """Base class of a TCP variant: override what differs from standard TCP.

    Each connection gets its own object, created without arguments. Windows are in segments, times in
    seconds. A callback answers with a ``Window``, with ``(cwnd, ssthresh)``, with a number (cwnd alone),
    or with ``None`` for what the standard rule says. An exception ends the run.
    """

    recovery: ClassVar[Recovery] = "newreno"
    """The repair of losses: tahoe, reno, newreno or sack."""

    def on_ack(self, state: SenderState, ack: AckEvent) -> Answer:
        """Return the window after an ACK of new data; in fast recovery ``ack.may_grow`` is false."""

    def on_loss(self, state: SenderState, loss: LossEvent) -> Answer | Reaction:
        """Return the window after duplicate ACKs have shown a loss."""

    def on_rto(self, state: SenderState, rto: RtoEvent) -> Answer | Reaction:
        """Return the window after a timeout, and whether the timeout doubles."""

    def on_rtt(self, state: SenderState, rtt: RttEvent) -> None:
        """Receive a round-trip sample of data; that of the handshake is in ``state.srtt`` only."""

    def on_rate(self, state: SenderState, rate: RateSample) -> Answer:
        """Take a sample of the delivery rate, before anything else that an ACK causes; a window sets it."""


class LossPredictor(CongestionControl):
    """Base class of a predictor of contention for TCP-Probing (Psaras et al., §4.3).

    TCP-Probing asks it at a loss: contended, and it recovers as Reno does, or not, and it probes. Windows,
    timers and probes remain those of the variant named in ``probing``. Each connection gets its own object.
    """

    probing: ClassVar[str] = "probing"
    """The variant and its other parameters, such as ``probing(probes=one)`` or ``newreno+probing+cwl(3)``."""

    def on_ack(self, state: SenderState, ack: AckEvent) -> None:
        """Receive an ACK of new data."""

    def contention(self, state: SenderState, loss: LossEvent) -> bool:
        """Return whether the network was contended at this loss; ``state`` is the sender's before it."""
        raise NotImplementedError


Variant: TypeAlias = "str | type[CongestionControl]"


def name_of(variant: Variant) -> str:
    """Return the name of a variant in results."""
    return variant if isinstance(variant, str) else variant.__name__


def identity(variant: Variant) -> object:
    """Return a value that is equal for all spellings of the same variant."""
    if not isinstance(variant, str):
        file = getattr(sys.modules.get(variant.__module__), "__file__", None)
        return (str(Path(file).resolve()), variant.__qualname__) if file else variant
    if is_kernel(variant):
        return variant
    if is_reference(variant):
        file, _, name = variant.rpartition(":")
        return str(Path(file).resolve()), name
    return Scenario.spelt_out(variant)


def is_kernel(variant: Variant) -> bool:
    """Return whether a variant is the TCP of a kernel in virtual time: ``kernel:cubic``."""
    return isinstance(variant, str) and variant.startswith(KERNEL)


def controller_in(arm: str) -> str:
    """Return the controller of an arm such as ``kernel:cubic``."""
    return arm.removeprefix(KERNEL)


def arm_of(controller: str) -> str:
    """Return the arm of a controller: ``kernel:cubic``."""
    return f"{KERNEL}{controller}"


def is_reference(text: str) -> bool:
    """Return whether a name is a reference such as ``mine.py:Mine``."""
    return ".py:" in text


def refuse_file(name: str, where: str = "--tcp") -> None:
    """Raise ``InputError`` for a Python file without a class: ``mine.py``."""
    if not name.endswith(".py"):
        return
    file = Path(name)
    if not file.is_file():
        raise InputError(f"{where} {name}: there is no file {file}; check the path, and add :Class")
    classes = re.findall(r"^class\s+(\w+)", file.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    named = f", such as {name}:{classes[0]}" if classes else ""
    raise InputError(f"{where} {name}: a file can have several classes; add :Class{named}")


def load_class(reference: str) -> type[CongestionControl]:
    """Load the class that ``mine.py:Mine`` names."""
    file, _, name = reference.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise InputError(f"--tcp {reference}: there is no file {file}; check the path")
    module_name = f"tworay_variant_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"--tcp {reference}: {file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As with `python mine.py`: modules beside the file can be imported.
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        text = traceback.format_exc().rstrip()
        raise InputError(f"--tcp {reference}: {file} can't be imported:\n{text}") from error
    finally:
        sys.path.remove(folder)
    found = getattr(module, name, None)
    if found is None:
        raise InputError(f"--tcp {reference}: {file} has no class {name}; {_candidates(vars(module))}")
    check_class(found, f"--tcp {reference}")
    return found  # type: ignore[no-any-return]


def check_class(found: object, where: str) -> None:
    """Raise ``InputError`` if the object can't be a variant."""
    if isinstance(found, list | tuple | set | dict):
        raise InputError(f"{where}: a run has one variant; tworay.compare(..., tcp=[...]) runs several")
    if not (isinstance(found, type) and issubclass(found, CongestionControl)):
        raise InputError(f"{where}: {found!r} is not a subclass of tworay.CongestionControl")
    _check_names(found, where)
    recoveries = _native.recoveries()
    if found.recovery not in recoveries:
        raise InputError(
            f"{where}: recovery = {found.recovery!r} is unknown; allowed are {', '.join(recoveries)}"
        )
    if issubclass(found, LossPredictor):
        _check_predictor(found, where)


def _check_predictor(found: type[LossPredictor], where: str) -> None:
    if found.contention is LossPredictor.contention:
        raise InputError(
            f"{where}: {found.__name__} predicts nothing; write def contention(self, state, loss)"
        )
    try:
        terms = Scenario.spelt_out(str(found.probing)).split("+")
    except ScenarioError as error:
        raise InputError(f"{where}: {found.__name__}.probing: {error}") from error
    if not any(term.partition("(")[0] == "probing" for term in terms):
        raise InputError(
            f"{where}: {found.__name__}.probing = {found.probing!r} has no predictor; write probing or "
            "probing(probes=one)"
        )


def _check_names(found: type[CongestionControl], where: str) -> None:
    """Reject callbacks that could never be called: misspelt, not a function, or with wrong parameters."""
    predicts = issubclass(found, LossPredictor)
    callbacks = PREDICTOR_CALLBACKS if predicts else CALLBACKS
    settings = ("probing",) if predicts else ("recovery",)
    ours = {*CongestionControl.__mro__, LossPredictor}
    own = {name for base in found.__mro__ if base not in ours for name in vars(base)}
    for name in sorted(own):
        near = _native.nearest(name, [*callbacks, *settings])
        known = name in callbacks or name in settings
        if not known and (name.startswith("on_") or name == "recovery" or near):
            hint = f"did you mean {near}?" if near else f"there are {', '.join(callbacks)}"
            raise InputError(f"{where}: {found.__name__}.{name} is never called; {hint}")
        if name in callbacks:
            _check_callback(inspect.getattr_static(found, name), f"{where}: {found.__name__}.{name}")


def _check_callback(callback: object, where: str) -> None:
    if not callable(callback) and not isinstance(callback, staticmethod | classmethod):
        raise InputError(f"{where} is not a method; write def {where.rpartition('.')[2]}(self, state, event)")
    if inspect.isfunction(callback):
        try:
            inspect.signature(callback).bind(None, None, None)
        except TypeError as error:
            raise InputError(
                f"{where} can't be called with the sender's state and the event ({error}); write "
                f"def {callback.__name__}(self, state, event)"
            ) from error


def _candidates(names: dict[str, object]) -> str:
    classes = [
        name
        for name, value in names.items()
        if isinstance(value, type) and issubclass(value, CongestionControl) and value is not CongestionControl
    ]
    return f"there are {', '.join(classes)}" if classes else "write class Mine(tworay.CongestionControl)"
