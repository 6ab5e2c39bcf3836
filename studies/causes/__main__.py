"""Command line: ``python -m studies.causes --seed 1 --count 100 --light``."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import tworay
from studies.causes import rules, singly
from studies.causes.drawing import LIGHT, LOADS, drawn
from studies.twins import text
from tworay.running.scenarios import load_text

if TYPE_CHECKING:
    from studies.causes.drawing import Drawn
    from studies.causes.rules import Fault, Row
    from studies.causes.singly import Single
    from studies.twins import Document


def losses(document: Document, seed: int) -> list[Row]:
    """Run a scenario and return its ledger."""
    scenario = load_text(text(document), Path("drawn.toml"), {})
    rows: list[Row] = tworay.run(scenario, seed=seed, series=False).ledger.to_dicts()
    return rows


def singles(case: Drawn, seed: int) -> list[Single]:
    """Run a scenario without each disturbance, and with each alone."""
    spans = case.disturbances()
    found = []
    for span in spans:
        others = [other for other in spans if other is not span]
        alone = losses(case.without(*others), seed) if others else None
        found.append(singly.Single(span, losses(case.without(span), seed), alone))
    return found


def faults(case: Drawn, seeds: range) -> tuple[int, list[Fault]]:
    """Run a scenario and, if it needs any, its twins; return the number of losses and what contradicts."""
    rows = losses(case.document, seeds[0])
    needed = seeds if case.datagrams_only() and case.spans else ()
    twins = [losses(case.twin(), seed) for seed in needed]
    found = [*rules.of_rows(case, rows), *rules.of_interferers(case, rows)]
    if needed:
        found += singly.of_singles(case, rows, singles(case, seeds[0]))
    if twins:
        found += rules.of_counts(case, rows, twins)
    if len(twins) > 1:
        found += rules.of_light_loads(case, rows, twins)
    return len(rows), found


def main() -> None:
    """Draw, run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw; runs have seed 1")
    parser.add_argument("--count", type=int, default=100, help="number of scenarios")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--out", type=Path, help="write scenarios with contradictions to this directory")
    parser.add_argument("--light", action="store_true", help="draw no overloads; twins have seeds 1 to 3")
    asked = parser.parse_args()
    loads, seeds = (LIGHT, range(1, 4)) if asked.light else (tuple(LOADS), range(1, 2))
    total, strange = 0, 0
    by: Counter[str] = Counter()
    for number in range(asked.first, asked.first + asked.count):
        case = drawn(random.Random(f"{asked.seed}/{number}"), loads)
        lost, found = faults(case, seeds)
        total += lost
        strange += bool(found)
        what = ", ".join(span.kind for span in case.spans) or "nothing"
        about = f"{case.document['radio']['preset']}, {case.document['routing']['protocol']}, {what}"
        for one in found:
            by[one.rule] += int(one.count)
            print(f"{number}: {about}: flow {one.flow}: {one.rule}: {one.count:.0f} of {lost}")
            print(f"    {one.example}", flush=True)
        if found and asked.out:
            asked.out.mkdir(parents=True, exist_ok=True)
            (asked.out / f"{asked.seed}-{number}.toml").write_text(case.text())
    for rule, count in by.most_common():
        print(f"{count:6d}  {rule}")
    print(f"{sum(by.values())} of {total} losses contradict, in {strange} of {asked.count} scenarios")


if __name__ == "__main__":
    main()
