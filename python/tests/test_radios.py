"""Radios of `radio.preset`: the table of the guide, their reach, and links that they cut."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.experiment import comparing
from tworay.running import radios

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

PRESETS = radios.presets()


def world(levels: tuple[float, float], radio: str) -> str:
    links = "".join(
        f'[[radio.link]]\nfrom = {a}\nto = {b}\nlevel = "{level}dBm"\n'
        for (a, b), level in zip(((0, 1), (1, 0)), levels, strict=True)
    )
    return (
        'name = "two"\nduration = "2s"\n[names]\nroof = 0\nbarn = 1\n[topology]\nkind = "string"\nhops = 1\n'
        f'[radio]\npropagation = "measured"\n{radio}\n{links}[[flow]]\nfrom = 0\nto = 1\n'
    )


@pytest.mark.parametrize("preset", PRESETS, ids=lambda one: one.name)
def test_the_reach_is_that_of_the_simulator(preset: radios.Preset) -> None:
    base = {"radio.preset": preset.name, "duration": "2s", "routing.protocol": "static"}
    near = tworay.run("string-1", set=base | {"topology.spacing": f"{int(preset.reach)}m"})
    assert near.summary["flows"][0]["goodput_bps"] > 0
    far = tworay.run("string-1", set=base | {"topology.spacing": f"{int(preset.reach) + 1}m"})
    (warning,) = far.summary["warnings"]
    assert f"links reach {preset.reach:.0f} m" in warning["text"]


def test_reach_of_two_bands_by_hand() -> None:
    reach = {one.name: one.reach for one in PRESETS}
    # 20 dBm and twice 5 dBi less 40.09 dB, the path loss of 2412 MHz at 1 m, leave 71.91 dB to -82 dBm; at
    # 30 dB a decade 10^2.397. At 5180 MHz 27 dBm less 46.73 dB: 72.26 dB, 10^2.409.
    assert reach["n20"] == pytest.approx(249.4, abs=0.5)
    assert reach["ac80x2"] == pytest.approx(256.3, abs=0.5)
    # Two-ray ground, as ns-2's WaveLAN: 250 m and 550 m.
    assert (reach["b-2"], PRESETS[0].sensed) == (pytest.approx(250, abs=0.5), pytest.approx(550, abs=0.5))


def test_the_table_has_every_preset_and_its_cut() -> None:
    lines = radios.table().splitlines()
    assert lines[0] == "|  | " + " | ".join(f"`{one.name}`" for one in PRESETS) + " |"
    # 6.309573 pW and 365.2 pW in dBm.
    (cut,) = [line for line in lines if "radio.rx_threshold" in line]
    assert cut.count("-82.0 dBm") == 4
    assert cut.count("-64.4 dBm") == 2
    (queue,) = [line for line in lines if "mac.queue" in line]
    assert queue.count("fq-codel") == 3


@pytest.mark.parametrize(
    ("levels", "radio", "said"),
    [
        ((-81, -80), 'preset = "n20"', ""),
        ((-85, -80), 'preset = "n20"', "below -82.0 dBm, radio.rx_threshold of radio.preset n20"),
        ((-85, -80), 'standard = "n"', "1 of 2 links arrive below -82.0 dBm, radio.rx_threshold, and"),
        # The default radio of 2003 receives from -64.4 dBm.
        ((-70, -60), "", "(roof to barn -70)"),
        # 1 pW is -90 dBm: nothing is cut that the noise, at -93.6 dBm, lets through.
        ((-85, -80), 'preset = "n20"\nrx_threshold = "1pW"', ""),
        ((-94, -80), 'preset = "n20"', ""),
    ],
)  # fmt: skip
def test_measured_links_that_a_preset_cuts_are_named(
    cli: Cli, tmp_path: Path, levels: tuple[float, float], radio: str, said: str
) -> None:
    text = world(levels, radio)
    tomllib.loads(text)
    (tmp_path / "two.toml").write_text(text)
    ran = cli("run", "two.toml")
    compared = cli("compare", "two.toml", "--tcp", "newreno,vegas", "--seeds", "2")
    for done in (ran, compared):
        told = " ".join((done.out + done.err).split())
        assert said in told
        assert ("arrive below" in told) == bool(said)
    if said:
        assert "-90 dBm" in ran.err
    # A document stays clean, and the note is beside it.
    assert cli("run", "two.toml", "--json").document["flows"]


@pytest.mark.parametrize(
    ("preset", "tcp", "noted"),
    [
        ("n20", "cubic,bbr", True),
        ("ac80x2", "bbr(rounds=5),vegas", True),
        ("n20", "cubic,bbr(form=linux)", False),
        # A later draft of its own, which is another variant.
        ("n20", "cubic,bbr3", False),
        ("g", "cubic,bbr", False),
    ],
)
def test_the_draft_of_bbr_is_named_where_acks_come_in_bursts(preset: str, tcp: str, noted: bool) -> None:
    result = tworay.compare("string-1", tcp=tcp, set={"radio.preset": preset, "duration": "2s"}, seeds=1)
    assert any("bbr(form=linux) has it" in text for text in result.warnings) == noted


def test_a_class_of_a_file_runs_on_aggregates(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import tworay\n\n\nclass Mine(tworay.CongestionControl):\n    pass\n")
    words = ("--set", "radio.preset=n20", "--set", "duration=2s")
    done = cli("compare", "string-1", "--tcp", "bbr,mine.py:Mine", "--seeds", "2", *words)
    assert done.code == 0, done.err
    assert "bbr(form=linux) has it" in " ".join((done.out + done.err).split())
    assert cli("run", "string-1", "--tcp", "mine.py:Mine", *words).code == 0


def test_arms_are_asked_once_for_drafts_of_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds are added in batches until the interval is narrow, which that of four short runs is not."""
    asked: list[str] = []

    def note(world: tworay.Scenario) -> list[str]:
        asked.append(world.name)
        return []

    monkeypatch.setattr(comparing, "draft_on_aggregates", note)
    done = tworay.compare(
        "string-3", tcp="newreno,vegas", until_ci=1e-6, seeds=2, max_seeds=4, set={"duration": "3s"}
    )
    assert done.seeds == [1, 2, 3, 4]
    assert len(asked) == 2
