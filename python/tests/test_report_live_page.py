"""The page of a live run: which flow it opens on, idleness that is no pause, and the command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from live_page import ACKED, AGAIN, COMMAND, ENDED, OPENED, live_run
from report_browser import Opened

import tworay
from tworay.report.writing import write_report
from tworay.showing.idleness import held_back, idle_spells

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

PROGRAMS = {"command": COMMAND, "serve": "exec iperf3 -s", "each": None}


def test_a_live_page_opens_on_the_largest_flow(browser: Browser, tmp_path: Path) -> None:
    with Opened(browser, live_run(tmp_path / "live", PROGRAMS)) as opened:
        page = opened.page
        assert page.get_by_label("Flow", exact=True).input_value() == "1"
        unfolded = page.locator("#why details[open] summary").all_inner_texts()
        assert [text.partition(":")[0] for text in unfolded] == ["flow 1"]
        opened.picture("live")


def test_a_simulations_page_opens_on_its_first_tcp_flow(browser: Browser, tmp_path: Path) -> None:
    """Pages of one scenario show the same flow, whichever delivered more."""
    file = tmp_path / "two.toml"
    flows = (
        '\n[[flow]]\nfrom = 0\nto = 2\napp = "cbr"\nrate = "20kbps"\n' + "\n[[flow]]\nfrom = 2\nto = 0\n" * 2
    )
    file.write_text(f'name = "two"\nduration = "5s"\n[topology]\nkind = "string"\nhops = 2\n{flows}')
    tworay.run(file, out=tmp_path / "two")
    with Opened(browser, write_report(tmp_path / "two")) as opened:
        assert opened.page.get_by_label("Flow", exact=True).input_value() == "1"


def test_idleness_is_no_pause(browser: Browser, tmp_path: Path) -> None:
    """All was acknowledged at 0.4 s and new data sent at 10.5 s: 10.1 s idle, then 0.1 s to its ACK."""
    with Opened(browser, live_run(tmp_path / "live", PROGRAMS)) as opened:
        control = opened.page.locator("#why details", has_text="flow 0:")
        control.locator("summary").click()
        text = control.inner_text()
        assert f"{AGAIN - ACKED:.3f} s without anything to send: {ACKED:.3f} s to {AGAIN:.3f} s" in text
        spans = [
            (float(button.get_attribute("data-from") or 0), float(button.get_attribute("data-to") or 0))
            for button in control.get_by_role("button", name="in the graph").all()
        ]
        assert sorted(spans) == [(OPENED, ACKED), (AGAIN, ENDED)]
        assert "first data after an idle spell at 10.500 s" in text
    run = tworay.Run.read(tmp_path / "live")
    assert "nothing to send for 10.10 s in 1 spell" in " ".join(str(run.explain(flow=0)).split())
    assert run.explain(flow=1).document["idle"] == []


def test_a_sender_that_is_held_back_is_not_idle() -> None:
    def row(time: float, acked: int, flying: float) -> dict[str, float]:
        return {"t_s": time, "acked_bytes": acked, "in_flight_segments": flying}

    series = [row(0, 0, 1), row(1, 100, 0), row(5, 100, 1), row(6, 200, 0)]
    # Nothing in flight from 1 s to 5 s, and from 6 s to the end.
    assert idle_spells(series, [], 9) == [(1, 5), (6, 9)]
    # Frozen, after a timeout, or with its window closed from outside meanwhile: it may well have had data.
    for phase, idle in (("frozen", [(6, 9)]), ("rto_recovery", [(6, 9)]), ("slow_start", [(1, 5), (6, 9)])):
        phases = [{"t_s": 0, "phase": "slow_start"}, {"t_s": 2, "phase": phase}]
        phases.append({"t_s": 4, "phase": "slow_start"})
        assert idle_spells(series, held_back(phases, [], 9), 9) == idle, phase
    closed = [{"from_seconds": 7.0, "to_seconds": 8.0}]
    assert idle_spells(series, held_back([], closed, 9), 9) == [(1, 5)]


def test_a_live_run_is_made_again_by_a_live_command(browser: Browser, tmp_path: Path) -> None:
    with Opened(browser, live_run(tmp_path / "live", PROGRAMS)) as opened:
        again = opened.page.locator("#again")
        assert again.locator("code").first.inner_text() == (
            "tworay live run live/scenario.toml --seed 1 --most-late 2000 --congestion cubic "
            "--serve 'exec iperf3 -s' --out AGAIN -- iperf3 -c '{peer}' -t 10"
        )
        # It doesn't come out the same.
        assert "similar, not equal" in again.inner_text()
        assert not re.search(r"tworay run\b", opened.page.locator("main").inner_text())


def test_programs_that_were_not_stored_are_left_to_the_reader(browser: Browser, tmp_path: Path) -> None:
    with Opened(browser, live_run(tmp_path / "live", None)) as opened:
        again = opened.page.locator("#again").inner_text()
        assert "--out AGAIN -- COMMAND" in again
        assert "write yours for COMMAND" in again
