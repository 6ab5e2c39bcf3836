"""Run times of congestion controllers in the Linux kernel, as a table of costs.

With ``sysctl kernel.bpf_stats_enabled=1`` the kernel counts how often and how long each eBPF program ran;
``bpftool -j prog show`` prints this (``run_cnt``, ``run_time_ns``). A controller (``struct_ops``)
consists of one program per callback, by convention named after the controller: ``newreno_ssthresh``,
``newreno_cong_avoid``. The work of the kernel's own TCP around the callbacks is not included.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay import _native
from tworay.costs import measured
from tworay.costs.measured import RunTime, known_variants
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# Callbacks by operation of the simulator (net/ipv4/tcp_input.c, tcp_cong.c).
_NEW_ACKS = ("ack_slow_start", "ack_congestion_avoidance")
_ALL_ACKS = (*_NEW_ACKS, "dup_ack", "recovery_ack")
_LOSSES = ("fast_retransmit", "timeout")
CALLBACKS: dict[str, tuple[str, ...]] = {
    "ssthresh": _LOSSES,
    "cong_avoid": _NEW_ACKS,
    "cong_control": _ALL_ACKS,
    "in_ack_event": _ALL_ACKS,
    "pkts_acked": (*_NEW_ACKS, "recovery_ack"),
    "set_state": _LOSSES,
    "cwnd_event": ("timeout",),
    # Called at the start and end of a connection, for an undone reduction, or for socket options.
    "init": (),
    "release": (),
    "undo_cwnd": (),
    "min_tso_segs": (),
    "sndbuf_expand": (),
    "get_info": (),
}
# The kernel keeps 15 characters of a program's name; with BTF bpftool prints the full name.
_KEPT = 15


class Found(NamedTuple):
    """Content of a file: controllers, programs that belong to none, the file's digest."""

    run_times: list[RunTime]
    others: list[str]
    sha256: str
    whole: bool = False
    """Times of the whole sender, not of callbacks alone."""


def read(file: Path, names: Mapping[str, str] | None = None) -> Found:
    """Read the output of ``tworay kernel stats --json`` or ``bpftool -j prog show``.

    In the latter, programs are named after a variant (``newreno_ff_ssthresh``, optionally with the prefix
    ``tworay_`` or ``bpf_``), or after a name in ``names``: ``{"mine": "newreno"}`` for ``mine_ssthresh``.
    """
    try:
        data = file.read_bytes()
        document = json.loads(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or f"no JSON ({error})"
        raise InputError(f"--kernel {file}: {reason}; {_HOW}") from error
    if isinstance(document, dict) and "costs" in document:
        run_times, others = measured.read(file, document, names or {})
        return Found(run_times, others, hashlib.sha256(data).hexdigest(), whole=True)
    owners = _owners(names or {})
    seen: dict[str, dict[str, tuple[float, int]]] = {}
    silent: dict[str, list[str]] = {}
    others = []
    for place, program in enumerate(_programs(file, document)):
        name = str(program.get("name", ""))
        if not name:
            others.append(f"program {program.get('id', place)} without a name")
            continue
        mine = _owner(file, name, owners)
        if mine is None:
            others.append(name)
            continue
        variant, callback = mine
        if callback in seen.get(variant, {}) or callback in silent.get(variant, []):
            raise InputError(
                f"--kernel {file}: two programs are {callback} of {variant}; keep the one that was measured"
            )
        count = _number(file, program, "run_cnt")
        if count:
            mean = _number(file, program, "run_time_ns") / count
            seen.setdefault(variant, {})[callback] = (mean, count)
        else:
            silent.setdefault(variant, []).append(callback)
    found = [_run_time(name, seen.get(name, {}), silent.get(name, [])) for name in sorted({*seen, *silent})]
    if not found:
        said = ", ".join(others[:5]) or "no program"
        raise InputError(
            f"--kernel {file}: no program is named after a variant (found: {said}); {_HOW}, or say "
            "`--as PREFIX=VARIANT` for programs of another name"
        )
    if not seen:
        raise InputError(
            f"--kernel {file}: no program has a run_cnt; `sysctl kernel.bpf_stats_enabled=1`, let the "
            "controller carry some traffic, and print it again"
        )
    return Found(found, others, hashlib.sha256(data).hexdigest())


_HOW = "give what `bpftool -j prog show` prints"


def _programs(file: Path, document: Any) -> list[dict[str, Any]]:
    programs = document if isinstance(document, list) else [document]
    wrong = next((p for p in programs if not isinstance(p, dict)), None)
    if wrong is not None or (programs and "error" in programs[0]):
        said = programs[0]["error"] if wrong is None else f"`{wrong}` where a program was expected"
        raise InputError(f"--kernel {file}: {said}; {_HOW}")
    return [program for program in programs if program.get("type") == "struct_ops"]


def _owners(names: Mapping[str, str]) -> dict[str, str]:
    """Return the variants by prefix of their programs' names."""
    variants = known_variants(names)
    owners: dict[str, str] = {}
    for variant in variants:
        plain = variant.replace("-", "_").replace("+", "_plus")
        owners |= {f"{front}{plain}": variant for front in ("", "bpf_", "tworay_")}
    return owners | dict(names)


def _owner(file: Path, name: str, owners: Mapping[str, str]) -> tuple[str, str] | None:
    """Return variant and callback of a program, by its full or truncated name."""
    whole = {
        f"{prefix}_{callback}": (variant, callback)
        for prefix, variant in owners.items()
        for callback in CALLBACKS
    }
    if name in whole:
        return whole[name]
    if len(name) < _KEPT:
        return None
    cut = {mine for long, mine in whole.items() if len(long) > _KEPT and long[:_KEPT] == name}
    if len(cut) > 1:
        choice = " or ".join(sorted(f"{callback} of {variant}" for variant, callback in cut))
        raise InputError(
            f"--kernel {file}: name `{name}` is cut off and may be {choice}; compile the programs with -g: "
            "bpftool then prints whole names"
        )
    return cut.pop() if cut else None


def _number(file: Path, program: Mapping[str, Any], key: str) -> int:
    value = program.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(
            f"--kernel {file}: {key} of {program.get('name')}: `{value}` is not a count; give what "
            "`bpftool -j prog show` prints"
        )
    return value


def _run_time(variant: str, callbacks: dict[str, tuple[float, int]], never_ran: list[str]) -> RunTime:
    nanoseconds: dict[str, float | None] = {}
    for operation in _native.operations():
        unknown = any(operation in CALLBACKS[callback] for callback in never_ran)
        means = (mean for callback, (mean, _) in callbacks.items() if operation in CALLBACKS[callback])
        nanoseconds[operation] = None if unknown else sum(means)
    missed = [callback for callback in never_ran if CALLBACKS[callback]]
    return RunTime(variant, nanoseconds, callbacks, missed)


def as_csv(found: Found, watts: float, file: str) -> str:
    """Return the table of costs as CSV, for ``energy.costs`` or ``--costs``."""
    operations = _native.operations()
    lines = [
        "# Run times by operation of congestion controllers in the Linux kernel, in ns, as it counted them.",
        f"# Made by: tworay costs --kernel {file} --power {watts:g}W --out FILE",
        f"# tworay {_native.VERSION}, {file}: SHA-256 {found.sha256}",
        *(
            f"# {one.variant}: "
            + ", ".join(
                f"{name} {mean:.1f} ns ({count} runs)" for name, (mean, count) in one.callbacks.items()
            )
            + ("; never ran: " + ", ".join(one.never_ran) if one.never_ran else "")
            for one in found.run_times
        ),
        *(
            [
                "# Whole ACKs and timeouts in the kernel's TCP; what the measuring takes is in it.",
                "# 0: contained in the ACKs; empty: it wasn't met.",
            ]
            if found.whole
            else [
                "# Only the controllers' callbacks, not the kernel's TCP around them; the counting is in it.",
                "# 0: the controller has no callback there; empty: it has one that never ran.",
            ]
        ),
        ",".join(["variant", "unit", "power", *operations]),
    ]
    for one in found.run_times:
        means = (one.nanoseconds[operation] for operation in operations)
        cells = ["" if mean is None else f"{mean:.1f}" for mean in means]
        lines.append(",".join([one.variant, "ns", f"{watts:g}W", *cells]))
    return "\n".join(lines) + "\n"


def document(run_times: Iterable[RunTime], watts: float) -> dict[str, object]:
    """Return the document of ``tworay costs --kernel FILE --json``."""
    return {
        "tworay": _native.VERSION,
        "watts": watts,
        "variants": {
            one.variant: {
                "nanoseconds": one.nanoseconds,
                "joules": {
                    name: None if mean is None else mean * 1e-9 * watts
                    for name, mean in one.nanoseconds.items()
                },
                "callbacks": {
                    name: {"mean_ns": mean, "runs": count} for name, (mean, count) in one.callbacks.items()
                },
                "never_ran": one.never_ran,
            }
            for one in run_times
        },
    }
