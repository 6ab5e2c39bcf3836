"""Parse values of the command line: seeds, variants, percentages."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from tworay import _native
from tworay._native import Scenario
from tworay.checks import whole
from tworay.errors import InputError, ScenarioError
from tworay.running.control import check_class, identity, name_of, refuse_file
from tworay.running.run import check_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tworay.running.control import CongestionControl, Variant

Variants: TypeAlias = "str | type[CongestionControl] | Iterable[Variant] | Mapping[str, Variant]"

# An interval of fewer seeds is not judged.
LEAST_UNTIL_CI = 5
MAX_SEEDS = 100_000


def parse_seeds(spec: int | str | Iterable[int]) -> list[int]:
    """Turn ``10`` (seeds 1 to 10), ``"1-10"``, ``"3,5,9"`` or a list into a list of distinct seeds."""
    if isinstance(spec, str):
        seeds = _parse_text(spec)
    elif hasattr(spec, "__iter__"):
        seeds = [whole(seed, "a seed") for seed in spec]
    else:
        seeds = list(range(1, _count(whole(spec, "the number of seeds")) + 1))
    if not seeds:
        raise InputError(
            "no seeds given; write a number (`10`: seeds 1 to 10), a range (`1-10`) or a list (`3,5,9`)"
        )
    for position, seed in enumerate(seeds):
        check_seed(seed)
        if seed in seeds[:position]:
            raise InputError(
                f"seed {seed} is given twice; the same run twice says nothing new, leave one out"
            )
    return seeds


def written(seeds: Iterable[int]) -> str:
    """Write seeds as ``parse_seeds`` reads them: ``1-4,8``."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][1] + 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def check_precision(until_ci: float | None, max_seeds: int | None, seeds: int) -> None:
    """Reject an impossible precision, or a limit of seeds without a precision."""
    if until_ci is not None and not (isinstance(until_ci, int | float) and 0 < until_ci < 1):
        raise InputError(f"until_ci = {until_ci!r} is not a share between 0 and 1; 0.05 means ± 5 %")
    if max_seeds is None:
        return
    if until_ci is None:
        raise InputError("--max-seeds says where --until-ci gives up; add --until-ci 5%, or leave it out")
    if whole(max_seeds, "max_seeds") < seeds:
        raise InputError(
            f"--max-seeds {max_seeds} is less than the {seeds} seeds to begin with; give more of the one, or "
            "less of the other"
        )


def more_seeds(have: Sequence[int], limit: int) -> list[int]:
    """Return the seeds to add for a narrower interval: half as many again, up to ``limit`` in all.

    They depend only on results, so a comparison or sweep ends with the same seeds wherever it is done.
    """
    wanted = min(limit, max(LEAST_UNTIL_CI, len(have) + (len(have) + 1) // 2))
    return list(range(max(have) + 1, max(have) + 1 + max(0, wanted - len(have))))


def _parse_text(spec: str) -> list[int]:
    text = spec.strip()
    if re.fullmatch(r"\d+", text):
        return list(range(1, _count(int(text)) + 1))
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        if match is None:
            raise InputError(
                f"seeds `{spec}`: found `{part.strip()}`; allowed are a number (`10`: seeds 1 to 10), "
                "a range (`1-10`) or a list (`3,5,9`, `1-4,8`)"
            )
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if last < first:
            raise InputError(
                f"seeds `{spec}`: the range `{part.strip()}` runs backwards; write `{last}-{first}`"
            )
        _count(len(seeds) + last - first + 1)
        seeds.extend(range(first, last + 1))
    return seeds


def _count(number: int) -> int:
    if not 1 <= number <= MAX_SEEDS:
        raise InputError(f"{number} seeds asked for; allowed are 1 to {MAX_SEEDS}")
    return number


def parse_variants(spec: str | type[CongestionControl] | Iterable[Variant]) -> list[Variant]:
    """Turn ``"reno,newreno+sca(10)"`` or a list into a list of distinct variants; commas in brackets stay."""
    found = _entries(spec)
    for label, variant in found:
        if label is not None:
            _refuse_colon(label, variant)
            raise InputError(
                f"--tcp {label}={name_of(variant)}: only arms of `tworay compare` and `sweep` have "
                f"labels; leave `{label}=` out"
            )
    variants = [variant for _, variant in found]
    refuse_twins(variants, "--tcp")
    return variants


def parse_arms(spec: Variants) -> dict[str, Variant]:
    """Turn variants with or without labels into variants by the names of their arms.

    ``"mine=path.py:X,newreno"``, a list of such texts and of classes, or a mapping of labels to variants.
    An arm without a label is called as its variant.
    """
    found = _entries(spec)
    if isinstance(spec, str):
        _refuse_comma(found)
    for label, variant in found:
        if label is not None:
            _check_label(label, variant)
    names = [name_of(variant) if label is None else label for label, variant in found]
    variants = [variant for _, variant in found]
    refuse_twins(variants, "--tcp", names)
    return dict(zip(names, variants, strict=True))


def _entries(spec: Variants) -> list[tuple[str | None, Variant]]:
    """Return variants with their labels, if they have some; raises for what is no variant."""
    entries: list[tuple[str | None, Variant]]
    if isinstance(spec, Mapping):
        entries = [(str(label), variant) for label, variant in spec.items()]
    else:
        if isinstance(spec, str):
            texts: list[Variant] = list(re.split(r",(?![^(]*\))", spec))
        else:
            texts = [spec] if isinstance(spec, type) else list(spec)
        entries = [_labelled(one) if isinstance(one, str) else (None, one) for one in texts]
    entries = [(label, one.strip() if isinstance(one, str) else one) for label, one in entries]
    if not all(variant for _, variant in entries):
        raise InputError(
            "--tcp: empty variant name; write for example `--tcp reno,newreno` (`tworay variants` lists them)"
        )
    if not entries:
        raise InputError("--tcp: no variant given; write for example `reno,newreno`")
    for _, variant in entries:
        if isinstance(variant, str):
            refuse_file(variant)
        else:
            check_class(variant, "tcp")
    return entries


def _labelled(text: str) -> tuple[str | None, str]:
    """Split ``mine=path.py:X``. Parameters (``sca(n=10)``) and paths (``./a=b.py:X``) are no labels."""
    label, equals, variant = text.partition("=")
    return (label.strip(), variant) if equals and not set(label) & set("(/") else (None, text)


def _refuse_comma(entries: list[tuple[str | None, Variant]]) -> None:
    """Refuse ``Reno, no ECN=reno``, whose label a comma splits: its first part is taken for a variant."""
    for (label, first), (second, variant) in itertools.pairwise(entries):
        if label is not None or second is None or not isinstance(first, str):
            continue
        # No name of a variant has a space.
        name = " " in first and not re.search(r"[(:/]", first)
        if name or identity(first) == identity(variant):
            raise InputError(
                f"--tcp {first}, {second}={name_of(variant)}: a comma begins another variant, and labels "
                f"have none; write {first} {second}={name_of(variant)}, or leave {first} out"
            )


def _refuse_colon(label: str, variant: Variant) -> None:
    """Refuse ``bbr:form=linux``, which means a parameter."""
    name, colon, parameter = label.partition(":")
    if colon and isinstance(variant, str):
        raise InputError(
            f"--tcp {label}={variant}: parameters stand in parentheses: {name}({parameter}={variant})"
        )


def _check_label(label: str, variant: Variant) -> None:
    _refuse_colon(label, variant)
    where = f"--tcp {label}={name_of(variant)}"
    if not re.fullmatch(r"\w[\w.-]*( [\w.-]+)*", label):
        raise InputError(
            f"{where}: a label has letters, digits, `_`, `-`, `.` and single spaces, such as "
            f"mine={name_of(variant)}"
        )
    try:
        called = Scenario.spelt_out(label)
    except ScenarioError:
        return
    # CUBIC=cubic is the same variant, written as a plot should have it.
    if identity(variant) == called:
        return
    raise InputError(f"{where}: `{label}` is the name of a variant; choose another label, such as my-{label}")


def refuse_twins(variants: Sequence[Variant], where: str, labels: Sequence[str] | None = None) -> None:
    """Reject a variant that is named twice, also in two spellings: it would be compared with itself.

    ``labels`` are the names of the arms, of which none may be given twice.
    """
    names: list[str] = []
    seen: dict[object, str] = {}
    called = [name_of(variant) for variant in variants] if labels is None else labels
    for variant, name in zip(variants, called, strict=True):
        first = name if name in names else seen.setdefault(identity(variant), name)
        if first != name:
            raise InputError(f"{where}: `{first}` and `{name}` are the same variant; leave one out")
        if name in names:
            remedy = "leave one out" if name == name_of(variant) else "choose another label"
            raise InputError(f"{where}: `{name}` is given twice; {remedy}")
        names.append(name)


def parse_percent(spec: str) -> float:
    """Turn ``"5%"`` or ``"0.05"`` into a fraction between 0 and 1."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*", spec)
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < value < 1:
        raise InputError(f"`{spec}` is not a share between 0 and 100 %; write for example `5%` or `0.05`")
    return value


def parse_power(spec: str) -> float:
    """Turn ``"2.5W"`` or ``"400mW"`` into watts: above zero, up to 10 kW."""
    value = _quantity(_native.watts, spec, "a power above zero and up to 10 kW")
    if not 0 < value <= 1e4:
        raise InputError(
            f"`{spec}` is not a power above zero and up to 10 kW; write for example `2.5W` or `400mW`"
        )
    return value


def parse_energy(spec: str) -> float:
    """Turn ``"1nJ"`` or ``"150pJ"`` into joules: above zero."""
    value = _quantity(_native.joules, spec, "an energy above zero")
    if value <= 0:
        raise InputError(f"`{spec}` is not an energy above zero; write for example `1nJ` or `150pJ`")
    return value


def _quantity(read: Callable[[str], float], spec: str, what: str) -> float:
    try:
        return read(spec)
    except ValueError as error:
        raise InputError(f"`{spec}` is not {what}: {error}") from None
