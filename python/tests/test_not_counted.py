"""What nobody counts is shown as –, is null in documents and no reason to refuse stored results."""

from __future__ import annotations

import copy
import json

import pytest
from conftest import document

import tworay
from tworay.experiment.store.records import OF_SECTION, check_whole
from tworay.showing.rendering import run_report
from tworay.showing.text import rendered
from tworay.virtual.arms import unopened

UNCOUNTED = ("control_packets", "control_bytes", "route_changes")


def test_a_run_whose_stations_route_is_shown_without_zeros() -> None:
    found = document("kernel:cubic", 1, timeouts=None, rto_idle_seconds=None)
    found["routing"] |= dict.fromkeys(UNCOUNTED) | {"protocol": "none"}
    text = " ".join(rendered(run_report(found), 200).split())
    assert "the stations' own: packets and changes not counted; 0 false link failures" in text
    assert "None" not in text


@pytest.mark.parametrize("section", ["mac", "routing"])
def test_only_what_nobody_counts_may_be_null(section: str) -> None:
    whole = document("kernel:cubic", 1, handshake_seconds=0.1)
    check_whole(copy.deepcopy(whole))
    for key in OF_SECTION[section]:
        found = whole | {section: whole[section] | {key: None}}
        if key in UNCOUNTED:
            assert check_whole(found)[section][key] is None
        else:
            with pytest.raises(ValueError, match=rf"`{section}\.{key}` is missing"):
                check_whole(found)
        found = whole | {section: {name: value for name, value in whole[section].items() if name != key}}
        with pytest.raises(ValueError, match=rf"`{section}\.{key}` is missing"):
            check_whole(found)


def test_arms_of_which_none_counts_have_no_value_and_others_keep_theirs() -> None:
    result = tworay.Comparison("made", ["kernel", "simulated"])
    for seed in range(1, 7):
        result.add("kernel", seed, document("kernel:cubic", seed, 100.0 + seed, timeouts=None))
        result.add("simulated", seed, document("cubic", seed, 110.0 + seed, timeouts=seed))
    cells = result.summary["variants"]
    assert cells["kernel"].get("timeouts", {}).get("mean") is None
    assert cells["simulated"]["timeouts"]["mean"] == 3.5
    assert json.loads(json.dumps(result.summary))


def test_a_flow_that_never_opened_counts_no_timeouts() -> None:
    flow = unopened(0, 0, 4, "cubic")
    assert (flow["timeouts"], flow["sent_segments"], flow["goodput_bps"]) == (None, 0, 0.0)
