"""Mixtures: flows of one run use different TCP variants, to see how they share the network.

A mixture gives the TCP flows of a scenario variants in stated shares. Which flow gets which variant rotates
with the seed, so that over as many successive seeds as there are flows, every flow has used every variant
for its share of the seeds, and no variant profits from a good position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tworay.analysis import stats
from tworay.errors import InputError
from tworay.running.control import is_reference, load_class
from tworay.running.spec import refuse_twins

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tworay.running.control import CongestionControl
    from tworay.running.scenarios import Scenario

# Tolerance for shares written with two digits.
ROUNDING = 0.02


@dataclass(frozen=True)
class Mix:
    """Variants with their shares of the TCP flows."""

    shares: dict[str, float] = field(hash=False)
    classes: dict[str, type[CongestionControl]] = field(default_factory=dict, hash=False, repr=False)

    @property
    def name(self) -> str:
        """Name of the mixture in results."""
        return ",".join(f"{name}:{share:g}" for name, share in self.shares.items())

    def counts(self, flows: int) -> dict[str, int]:
        """Return how many of ``flows`` each variant gets: shares rounded, largest remainder first."""
        whole = sum(self.shares.values())
        exact = {name: share / whole * flows for name, share in self.shares.items()}
        counts = {name: int(value) for name, value in exact.items()}
        # Sorting is stable: of equal remainders the one named first gets the flow.
        by_remainder = sorted(exact, key=lambda name: round(counts[name] - exact[name], 9))
        for name in by_remainder[: flows - sum(counts.values())]:
            counts[name] += 1
        return counts

    def assign(self, flows: int, seed: int) -> list[str]:
        """Return the variant of each of ``flows`` TCP flows in the run with ``seed``."""
        row = [name for name, count in self.counts(flows).items() for _ in range(count)]
        turn = seed % flows
        return row[-turn:] + row[:-turn] if turn else row

    def check(self, world: Scenario) -> None:
        """Reject a scenario with too few flows for the shares."""
        flows = world.tcp_flows
        missing = [name for name, count in self.counts(flows).items() if not count]
        if missing:
            raise InputError(
                f"--mix {self.name}: the scenario has {flows} TCP flow{'s' * (flows != 1)}, so {missing[0]} "
                "would get none; add flows to the scenario, or change the shares"
            )
        self.apply(world, 0)

    def apply(self, world: Scenario, seed: int) -> Scenario:
        """Return the scenario with the variants of ``seed``."""
        return world.with_flow_variants([self._choice(name) for name in self.assign(world.tcp_flows, seed)])

    def _choice(self, name: str) -> str | tuple[str, str, type[CongestionControl]]:
        chosen = self.classes.get(name)
        return name if chosen is None else (name, chosen.recovery, chosen)


def parse_mixes(
    spec: str | Iterable[str] | None,
    load: Callable[[str], type[CongestionControl]] = load_class,
    labels: Collection[str] = (),
) -> list[Mix]:
    """Turn ``"vegas:0.5,newreno:0.5"`` or a list of such texts into mixtures.

    ``labels`` of arms are no variants, and refused. ``load`` returns the class that a reference such as
    ``mine.py:Mine`` names.
    """
    if spec is None:
        return []
    mixes = [_parse(text, load, labels) for text in ([spec] if isinstance(spec, str) else spec)]
    for position, mix in enumerate(mixes):
        if mix.name in [earlier.name for earlier in mixes[:position]]:
            raise InputError(f"--mix {mix.name} is given twice; leave one out")
    return mixes


def _parse(text: str, load: Callable[[str], type[CongestionControl]], labels: Collection[str]) -> Mix:
    shares: dict[str, float] = {}
    for part in re.split(r",(?![^(]*\))", text):
        match = re.fullmatch(r"\s*(.+?)\s*:\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*", part)
        share = float(match[2]) / (100 if match[3] else 1) if match else 0.0
        if match is None or not 0 < share < 1:
            raise InputError(
                f"--mix {text}: found `{part.strip()}`; write variants with their shares of the flows, such "
                "as --mix vegas:0.5,newreno:0.5"
            )
        if match[1] in labels:
            raise InputError(f"--mix {text}: `{match[1]}` is a label of --tcp; name its variant instead")
        if match[1] in shares:
            raise InputError(f"--mix {text}: `{match[1]}` is given twice; leave one out")
        shares[match[1]] = share
    refuse_twins(list(shares), f"--mix {text}")
    total = sum(shares.values())
    if abs(total - 1) > ROUNDING:
        raise InputError(f"--mix {text}: the shares add up to {total:g}; let them add up to 1")
    return Mix(shares, load_classes(shares, load))


def load_classes(
    names: Iterable[str], load: Callable[[str], type[CongestionControl]] = load_class
) -> dict[str, type[CongestionControl]]:
    """Load the classes among ``names`` that are references such as ``mine.py:Mine``."""
    return {name: load(name) for name in names if is_reference(name)}


def effects(
    mix: Mix, mixed: Mapping[int, dict[str, Any]], pure: Mapping[str, Mapping[int, dict[str, Any]]]
) -> dict[str, Any]:
    """Return the effect of mixing on each variant, from documents of runs by seed.

    ``pure`` has for each variant the runs in which all TCP flows use it. A variant's flows in a mixed run are
    compared with the same flows of the same seed in the unmixed runs of the variant itself (what it loses to
    the others) and of the other variants (what they lose to it).
    """
    found: dict[str, Any] = {}
    for name in mix.shares:
        share, per_flow = [], []
        against: dict[str, tuple[list[float], list[float]]] = {other: ([], []) for other in mix.shares}
        number, flows = 0, 0
        for seed, document in mixed.items():
            goodputs = _goodputs(document)
            flows = len(goodputs)
            places = [i for i, chosen in enumerate(mix.assign(flows, seed)) if chosen == name]
            number = len(places)
            total = sum(goodputs)
            mine = sum(goodputs[i] for i in places)
            if total:
                share.append(mine / total)
            per_flow.append(mine / number)
            for other, (here, there) in against.items():
                if seed in pure.get(other, {}):
                    same = _goodputs(pure[other][seed])
                    here.append(mine / number)
                    there.append(sum(same[i] for i in places) / number)
        found[name] = {
            "flows": number,
            "of": flows,
            "fair_share": number / flows if flows else None,
            "goodput_share": stats.describe(share),
            "goodput_per_flow_bps": stats.describe(per_flow),
            "against_all": {other: _paired(here, there) for other, (here, there) in against.items() if here},
        }
    pairs = [pair for about in found.values() for pair in about["against_all"].values()]
    for pair, p in zip(pairs, stats.holm([pair["p"] for pair in pairs]), strict=True):
        pair["holm_p"] = p
    return found


def _goodputs(document: dict[str, Any]) -> list[float]:
    """Return the goodputs of the TCP flows, in the scenario's order."""
    return [flow["goodput_bps"] for flow in document["flows"] if flow["tcp"] is not None]


def _paired(here: list[float], there: list[float]) -> dict[str, Any]:
    difference = stats.differences(here, there)
    interval = stats.t_interval(difference)
    return {
        "pure_mean": stats.mean(there),
        "difference": stats.mean(difference),
        "ci95": None if interval is None else list(interval),
        "p": stats.paired_p(here, there),
    }
