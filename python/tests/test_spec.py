"""Seeds, variants and shares as users write them."""

from __future__ import annotations

import pytest

from tworay.errors import InputError
from tworay.running.spec import parse_percent, parse_seeds, parse_variants, written


@pytest.mark.parametrize(
    ("spec", "seeds"),
    [
        (3, [1, 2, 3]),
        ("3", [1, 2, 3]),
        ("2-5", [2, 3, 4, 5]),
        ("3,5,9", [3, 5, 9]),
        ("1-3, 8", [1, 2, 3, 8]),
        ("7,", None),
        ([4, 2], [4, 2]),
        ("0-1", [0, 1]),
        (0, None),
        ("0", None),
        ("-3", None),
        ("5-3", None),
        ("3,3", None),
        ("1-4,2", None),
        ("ten", None),
        ("", None),
        ([], None),
        ([-1], None),
        ([2**64], None),
        ("1-9999999999", None),
    ],
)
def test_seeds(spec: int | str | list[int], seeds: list[int] | None) -> None:
    if seeds is None:
        with pytest.raises(InputError):
            parse_seeds(spec)
    else:
        assert parse_seeds(spec) == seeds


@pytest.mark.parametrize(
    ("spec", "variants"),
    [
        ("tahoe,reno", ["tahoe", "reno"]),
        ("newreno+sca(10), sack+westwood", ["newreno+sca(10)", "sack+westwood"]),
        ("newreno+ssca(2,4),reno", ["newreno+ssca(2,4)", "reno"]),
        (["reno"], ["reno"]),
        ("reno,,tahoe", None),
        ("reno,reno", None),
        ("", None),
    ],
)
def test_variants(spec: str | list[str], variants: list[str] | None) -> None:
    if variants is None:
        with pytest.raises(InputError):
            parse_variants(spec)
    else:
        assert parse_variants(spec) == variants


@pytest.mark.parametrize(
    ("spec", "share"),
    [
        ("5%", 0.05),
        ("0.05", 0.05),
        ("2.5 %", 0.025),
        ("5", None),
        ("0%", None),
        ("100%", None),
        ("x", None),
        ("-5%", None),
    ],
)
def test_percent(spec: str, share: float | None) -> None:
    if share is None:
        with pytest.raises(InputError):
            parse_percent(spec)
    else:
        assert parse_percent(spec) == pytest.approx(share)


def test_messages_name_what_was_found_and_what_is_allowed() -> None:
    with pytest.raises(InputError, match=r"found `x`; allowed are a number .* a range .* or a list"):
        parse_seeds("1,x")


def test_seeds_are_written_as_they_are_read() -> None:
    assert written([8, 1, 2, 3]) == "1-3,8"
    assert parse_seeds(written([8, 1, 2, 3])) == [1, 2, 3, 8]
