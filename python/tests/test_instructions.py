"""The check of instruction counts in `make test`."""

from studies.instructions import excess

BEFORE = {"string-4": (100_000, 5), "grid": (50_000, 7)}


def test_two_per_cent_more_pass_and_three_do_not() -> None:
    assert excess({"string-4": (102_000, 5), "grid": (40_000, 7)}, BEFORE) == []
    assert excess({"string-4": (103_000, 5)}, BEFORE) == [
        "string-4: +3.00 % instructions, of which 2 % are allowed"
    ]


def test_a_run_without_a_committed_count_does_not_pass() -> None:
    assert excess({"string-8": (1, 1)}, BEFORE) == ["string-8: no committed count"]
