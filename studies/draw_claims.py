"""Draw claims for a reader who compares their labels with the papers."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from tworay.papers.library import Claim, Paper, Role, papers
from tworay.papers.reproducing import from_stored

STUDIES = Path(__file__).parents[1] / "docs" / "studies"


def drawn(seed: int, claims: int) -> list[tuple[Paper, Claim]]:
    """Return this many of the papers' own claims, drawn without repetition, in the pages' order."""
    own = [
        (paper, claim)
        for paper in papers()
        if not paper.study
        for claim in paper.claims
        if claim.role is Role.CLAIM
    ]
    places = sorted(random.Random(seed).sample(range(len(own)), claims))
    return [own[place] for place in places]


def main() -> None:
    """Print the drawn claims with their labels."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seed", type=int, required=True)
    asked.add_argument("--claims", type=int, default=50)
    options = asked.parse_args()
    labels = {
        (paper.name, name): judgement.verdict
        for paper in papers()
        if not paper.study
        for name, judgement in from_stored(paper, STUDIES).judgements.items()
    }
    print(f"seed {options.seed}, {options.claims} claims")
    for paper, claim in drawn(options.seed, options.claims):
        label = labels[paper.name, claim.id]
        print(f"{paper.name}:{claim.id} | {claim.source} | {claim.says} | {label}")


if __name__ == "__main__":
    main()
