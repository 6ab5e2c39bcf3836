"""The changes of `make changed-constants` still fit the sources: each text occurs once."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_constant_stands_where_the_study_looks_for_it() -> None:
    changes = runpy.run_path(str(ROOT / "studies/changed_constants.py"))["CHANGES"]
    found = {change.about: (ROOT / change.file).read_text().count(change.before) for change in changes}
    assert len(found) == 10
    assert found == dict.fromkeys(found, 1)
