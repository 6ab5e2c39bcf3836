"""Differences between the values of an axis: what few seeds can say."""

from __future__ import annotations

import polars as pl
import pytest

from tworay.analysis.contrasts import contrast


def frame(seeds: int, factor: float) -> pl.DataFrame:
    """Return runs in which `near` has about 1 and `far` about ``factor``, with a little noise."""
    rows = [
        {"hops": name, "cell": name == "far", "seed": seed, "goodput_bps": mean + 0.01 * (seed % 3) * mean}
        for name, mean in (("near", 1.0), ("far", factor))
        for seed in range(seeds)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("seeds", "factor", "verdict", "words"),
    [
        (3, 9.5, "too few seeds", "0 of 1 paired differences are clear (Holm p < 0.05 over the whole table). "
                                  "1 has too few seeds: it takes 5 or more."),
        (5, 9.5, "above", "1 of 1 paired differences are clear (Holm p < 0.05 over the whole table)."),
        (5, 1.0, "no difference found", "0 of 1 paired differences are clear (Holm p < 0.05 over the whole "
                                        "table)."),
    ],
)  # fmt: skip
def test_a_difference_that_few_seeds_cannot_show_is_not_called_none(
    seeds: int, factor: float, verdict: str, words: str
) -> None:
    found = contrast(frame(seeds, factor), ["hops"], "goodput_bps", over="hops", against="near")
    assert found.frame["verdict"].to_list() == [verdict]
    assert found.conclusion() == words
