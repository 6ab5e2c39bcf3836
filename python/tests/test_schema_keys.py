"""Versions of the scenario file: no key goes without a word about what replaces it."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

import tworay
from tworay._native import RESULTS, SCHEMA, json_schema
from tworay.experiment.store.formats import FORMAT
from tworay.running.scenarios import FORM

ROOT = Path(__file__).parents[2]
LISTED = (Path(__file__).parent / "data/scenario-keys.txt").read_text(encoding="utf-8").splitlines()
NOW = {
    key.path
    for key in runpy.run_path(str(ROOT / "docs/make/scenario_page.py"))["keys"](json.loads(json_schema()))
}
GONE = [key for key in LISTED[1:] if key not in NOW]


def test_the_list_is_of_this_form() -> None:
    assert f"form {FORM} of" in LISTED[0]
    assert tworay.schema()["$id"] == f"urn:tworay:scenario:{FORM}"
    # Most keys are still there.
    assert len(GONE) < len(LISTED) / 10


@pytest.mark.parametrize("key", GONE)
def test_a_key_that_has_gone_is_refused_by_the_name_of_the_new_one(key: str) -> None:
    with pytest.raises(tworay.ScenarioError, match="unknown key") as caught:
        tworay.load("string-2", set={key.replace("[]", ".0"): "1"})
    found = re.search(r'called "(\w+)"', str(caught.value))
    assert found is not None, f"{key}: add what replaces it to `renamed` in crates/tworay-scenario/src/de.rs"
    table = key.rpartition(".")[0]
    assert (f"{table}.{found[1]}" if table else found[1]) in NOW


def test_the_page_of_versions_has_todays_numbers() -> None:
    page = (ROOT / "docs/reference/versions.md").read_text(encoding="utf-8")
    numbers = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.MULTILINE))
    today = {"scenario": FORM, "results": RESULTS, "schema": SCHEMA, "format": FORMAT}
    assert {name: int(number) for name, number in numbers.items()} == today
