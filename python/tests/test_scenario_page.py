"""docs/reference/scenario.md: every key of a scenario, as the simulator declares it."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from tworay._native import json_schema

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "docs/make/scenario_page.py"))
PAGE: str = SCRIPT["page"]()
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]


def test_the_page_is_current() -> None:
    known = SCRIPT["PAGE"].read_text(encoding="utf-8")
    assert known == PAGE, "write it anew: .venv/bin/python docs/make/scenario_page.py"


def test_every_key_is_there_once_with_what_it_accepts_and_means() -> None:
    names = [row[0] for row in ROWS]
    assert len(names) == len(set(names)) > 250
    assert {f"`{key}`" for key in json.loads(json_schema())["properties"]} <= set(names)
    silent = [row[0] for row in ROWS if len(row) < 4 or not row[1].strip() or not row[3].strip()]
    assert silent == []


@pytest.mark.parametrize(
    ("key", "accepts", "default"),
    [
        ("mac.cw_max", "whole number", "`1023`"),
        ("mac.arp_retry", '"900s"', "`100ms`; *ns2* `0s`"),
        ("duration", '"900s"', "required"),
        ("radio.reception", "`sinr`", "`sinr`; *ns2* `capture`"),
        ("wire[].rate", '"2Mbps"', "required"),
        ("wire_kind.NAME.queue", "whole number", "`50`"),
        ("topology.hops` (string)", "whole number", "required"),
        ("errors.pkt_err.bernoulli", "table", ""),
        ("routing.aodv.net_diameter", "whole number", "`35`; *ns2* `30`"),
        ("routing.aodv.ttl_start", "whole number", "`1`; *ns2* `5`; *thesis*, *thesis-trace* `2`"),
        ("routing.dsr.max_route_hops", "whole number", "`63`; *freeze-probing*, *ns2* `15`"),
        ("routing.dsr.route_cache_timeout", "900s", "`300s`; *freeze-probing*, *ns2* for ever"),
        ("routing.olsr.willingness", "whole number", "`3`"),
        ("energy.idle", "30mW", "preset *ns2* `0W`, *usb-80211n* `0.82W`, *wavelan* `0.84372W`"),
    ],
)
def test_keys_have_type_unit_and_defaults_of_both_dialects(key: str, accepts: str, default: str) -> None:
    row = next(row for row in ROWS if row[0].startswith(f"`{key}" if "`" in key else f"`{key}`"))
    assert accepts in row[1]
    assert row[2].strip() == default


def test_names_in_the_page_are_keys_that_the_simulator_takes() -> None:
    from tworay._native import Scenario, ScenarioError

    taken = SCRIPT["WORLD"]
    for row in ROWS:
        path = re.sub(r"\[\]|NAME", "", row[0].split("`")[1])
        if re.fullmatch(r"(mac|tcp|routing|station|energy)\.[\w.]+", path) and row[2].startswith("`"):
            value = row[2].split("`")[1]
            try:
                Scenario.from_toml(taken, "x", "", [f"{path}={value}"])
            except ScenarioError as error:
                pytest.fail(f"{path} = {value}: {error}")
