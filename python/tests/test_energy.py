"""``tworay energy``: meters read from recorded files of /sys, and the arithmetic of total - radio - idle."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tworay.cli.energy import energy
from tworay.costs import meters
from tworay.costs.drawn import Radio, Reading, as_csv, evaluate, measure, read
from tworay.costs.meters import Battery, Rapl, find
from tworay.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result


def put(root: Path, files: dict[str, object]) -> None:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n")


RAPL = "class/powercap/intel-rapl:"
# As a laptop with one package shows them; the core is a part of the package, its memory isn't.
PACKAGE = {
    f"{RAPL}0/name": "package-0",
    f"{RAPL}0/energy_uj": 1_000_000,
    f"{RAPL}0/max_energy_range_uj": 262_143_328_850,
    f"{RAPL}0:0/name": "core",
    f"{RAPL}0:0/energy_uj": 500_000,
    f"{RAPL}0:0/max_energy_range_uj": 262_143_328_850,
    f"{RAPL}0:1/name": "dram",
    f"{RAPL}0:1/energy_uj": 300_000,
    f"{RAPL}0:1/max_energy_range_uj": 65_712_999_613,
}
PSYS = {
    f"{RAPL}1/name": "psys",
    f"{RAPL}1/energy_uj": 7_000_000,
    f"{RAPL}1/max_energy_range_uj": 262_143_328_850,
}
SUPPLY = "class/power_supply/"
CHARGER = {f"{SUPPLY}AC/type": "Mains", f"{SUPPLY}AC/online": 0}
MOUSE = {
    f"{SUPPLY}hidpp_0/type": "Battery",
    f"{SUPPLY}hidpp_0/scope": "Device",
    f"{SUPPLY}hidpp_0/status": "Discharging",
    f"{SUPPLY}hidpp_0/energy_now": 1,
}
BATTERY = {
    f"{SUPPLY}BAT0/type": "Battery",
    f"{SUPPLY}BAT0/status": "Discharging",
    f"{SUPPLY}BAT0/energy_now": 40_000_000,
}


def test_packages_and_their_memory_are_counted_but_not_their_cores(tmp_path: Path) -> None:
    put(tmp_path, PACKAGE)
    meter = find(None, tmp_path)
    assert isinstance(meter, Rapl)
    assert (meter.name, meter.covers_radio) == ("RAPL: package-0, dram of package-0", False)
    assert meter.joules() == 0
    put(tmp_path, {f"{RAPL}0/energy_uj": 3_500_000, f"{RAPL}0:0/energy_uj": 9_000_000})
    assert meter.joules() == pytest.approx(2.5)
    put(tmp_path, {f"{RAPL}0:1/energy_uj": 400_000})
    assert meter.joules() == pytest.approx(2.6)


def test_a_counter_that_starts_again_at_zero(tmp_path: Path) -> None:
    """From 1 J before its range to 2 J after it."""
    whole = 65_712_999_613
    put(tmp_path, PACKAGE | {f"{RAPL}0:1/energy_uj": whole - 1_000_000})
    meter = find("rapl", tmp_path)
    put(tmp_path, {f"{RAPL}0:1/energy_uj": 2_000_000})
    assert meter.joules() == pytest.approx(3.0)
    assert meter.joules() == pytest.approx(3.0), "counted once"


def test_the_counter_of_the_whole_computer_stands_for_its_packages(tmp_path: Path) -> None:
    put(tmp_path, PACKAGE | PSYS)
    meter = find(None, tmp_path)
    assert (meter.name, meter.covers_radio) == ("RAPL: psys", True)


def test_a_fuel_gauge_in_microwatt_hours(tmp_path: Path) -> None:
    """10 mWh are 36 J."""
    put(tmp_path, PACKAGE | CHARGER | MOUSE | BATTERY)
    meter = find(None, tmp_path)
    assert isinstance(meter, Battery), "it covers more than RAPL"
    assert (meter.name, meter.covers_radio) == ("battery: BAT0", True)
    put(tmp_path, {f"{SUPPLY}BAT0/energy_now": 39_990_000})
    assert meter.joules() == pytest.approx(36.0)
    put(tmp_path, {f"{SUPPLY}BAT0/status": "Charging"})
    with pytest.raises(RunError, match="disconnect the charger and measure again"):
        meter.joules()


def test_a_fuel_gauge_in_microampere_hours(tmp_path: Path) -> None:
    """1 mAh at 12 V is 12 mWh, 43.2 J."""
    charge = {"type": "Battery", "status": "Discharging", "charge_now": 3_000_000, "voltage_now": 12_000_000}
    put(tmp_path, {f"{SUPPLY}BAT1/{name}": value for name, value in charge.items()})
    meter = find("battery", tmp_path)
    put(tmp_path, {f"{SUPPLY}BAT1/charge_now": 2_999_000})
    assert meter.joules() == pytest.approx(43.2, rel=1e-9)


def test_with_a_charger_the_processor_is_measured(tmp_path: Path) -> None:
    put(tmp_path, BATTERY | {f"{SUPPLY}BAT0/status": "Full"})
    with pytest.raises(InputError, match=r"BAT0 is not discharging.*disconnect the charger"):
        find(None, tmp_path)
    with pytest.raises(InputError, match="--meter battery: BAT0 is not discharging"):
        find("battery", tmp_path)
    put(tmp_path, PACKAGE)
    assert isinstance(find(None, tmp_path), Rapl)


def test_where_nothing_counts_energy(tmp_path: Path) -> None:
    put(tmp_path, CHARGER | MOUSE)
    with pytest.raises(
        InputError, match=r"neither RAPL .* nor a battery's fuel gauge .*; measure on hardware"
    ):
        find(None, tmp_path)
    with pytest.raises(InputError, match=r"--meter battery: .* has no battery with a fuel gauge"):
        find("battery", tmp_path)
    with pytest.raises(InputError, match=r"--meter rapl: .* has no counter of a package"):
        find("rapl", tmp_path)


def test_a_counter_without_a_number_is_named(tmp_path: Path) -> None:
    put(tmp_path, PACKAGE | {f"{RAPL}0/energy_uj": "<unknown>"})
    with pytest.raises(InputError, match=r"energy_uj: found `<unknown>` instead of a whole number"):
        find(None, tmp_path)


def test_a_counter_that_only_root_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, PACKAGE)
    plain = Path.read_text

    def refuse(file: Path, **how: str) -> str:
        if file.name == "energy_uj":
            raise PermissionError(13, "Permission denied")
        return plain(file, **how)

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(InputError, match=r"energy_uj may only be read by root; run it with sudo"):
        find(None, tmp_path)


# 10 s idle at 8 W; then 20 s in which 300 J are drawn.
RECORDED = [
    Reading(0.0, "idle", 0.0),
    Reading(5.0, "idle", 40.0),
    Reading(10.0, "idle", 80.0),
    Reading(10.5, "command", 84.0),
    Reading(20.0, "command", 250.0),
    Reading(30.5, "command", 384.0),
]


@pytest.mark.parametrize(
    ("radio", "joules"), [(Radio(), 0.0), (Radio(watts=1.5), 30.0), (Radio(joules=12.0), 12.0)]
)
def test_total_less_radio_less_idle(radio: Radio, joules: float) -> None:
    """300 J in 20 s, of which 8 W x 20 s = 160 J idle; the smallest step is 4 J."""
    found = evaluate(RECORDED, radio)
    assert (found.command.joules, found.command.seconds) == (300.0, 20.0)
    assert (found.idle.watts, found.idle_joules, found.radio_joules) == (8.0, 160.0, joules)
    assert found.computing_joules == 140.0 - joules
    assert found.uncertainty_joules == 2 * 4.0 * (1 + 20 / 10)


def test_a_phase_that_was_not_measured() -> None:
    with pytest.raises(InputError, match="no two different times of the phase `command`"):
        evaluate(RECORDED[:4], Radio())


def test_readings_come_back_from_their_file(tmp_path: Path) -> None:
    file = tmp_path / "readings.csv"
    file.write_text(as_csv(RECORDED))
    assert read(file) == RECORDED


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("seconds,joules\n1,2\n", "there is no column phase"),
        ("seconds,phase,joules\n0,idle,x\n", "line 2: seconds and joules are numbers"),
        ("seconds,phase,joules\n0,idle,1\n1,busy,2\n", "line 3: phase `busy`; allowed are idle and command"),
        ("seconds,phase,joules\n1,idle,1\n0,idle,2\n", "line 3: times grow"),
        ("seconds,phase,joules\n1,idle,nan\n", "line 2: times grow, and energies are finite"),
    ],
)
def test_wrong_readings(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read(file)
    assert complaint in str(caught.value)


class Recorded:
    """A meter and a clock that follow a recording: 8 W idle, 20 W once the command has started."""

    name, covers_radio = "recorded", True

    def __init__(self) -> None:
        self.time, self.drawn, self.running = 100.0, 0.0, False

    def joules(self) -> float:
        return self.drawn

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.drawn += seconds * (20.0 if self.running else 8.0)


def test_the_meter_is_read_before_and_while_the_command_runs() -> None:
    """The command is found finished at the 16th look: 15 x 0.2 s = 3 s at 20 W."""
    recorded = Recorded()

    class Process:
        looks = 0

        def poll(self) -> int | None:
            self.looks += 1
            return 3 if self.looks > 15 else None

    def start(command: list[str]) -> Process:
        assert command == ["iperf3", "-c", "10.0.0.2"]
        recorded.running = True
        return Process()

    readings, code = measure(
        recorded,
        2.0,
        ["iperf3", "-c", "10.0.0.2"],
        clock=lambda: recorded.time,
        sleep=recorded.sleep,
        start=start,  # type: ignore[arg-type]
    )
    assert code == 3
    found = evaluate(readings, Radio(watts=2.0))
    assert found.idle.watts == pytest.approx(8.0)
    assert found.command.seconds == pytest.approx(3.0)
    assert found.command.joules == pytest.approx(60.0)
    assert found.computing_joules == pytest.approx(60 - 6 - 24)


def test_the_command_with_a_battery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command itself draws: it lowers the gauge by 10 mWh, 36 J; nothing is drawn while idle."""
    put(tmp_path, BATTERY)
    monkeypatch.setattr(meters, "SYS", tmp_path)
    gauge = tmp_path / SUPPLY / "BAT0/energy_now"
    out = tmp_path / "readings.csv"
    draw = f"import pathlib; pathlib.Path({str(gauge)!r}).write_text('39990000')"
    energy([sys.executable, "-c", draw], idle="300ms", radio="6J", meter=None, readings=out, json=True)
    document = json.loads(capsys.readouterr().out)
    assert (document["meter"], document["exit_code"]) == ("battery: BAT0", 0)
    assert document["total_joules"] == pytest.approx(36.0)
    assert document["computing_joules"] == pytest.approx(30.0)
    assert read(out)[-1].joules == pytest.approx(36.0)
    # The same readings with another radio.
    energy(None, radio=None, readings=out, json=True)
    assert json.loads(capsys.readouterr().out)["computing_joules"] == pytest.approx(36.0)


def test_a_package_contains_no_radio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, PACKAGE)
    monkeypatch.setattr(meters, "SYS", tmp_path)
    with pytest.raises(InputError, match=r"--radio 0.4W: RAPL: .* contains no wireless card"):
        energy(["true"], radio="0.4W", meter=None, readings=None)


def test_on_the_command_line(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(as_csv(RECORDED))
    result = cli("energy", "--readings", "r.csv", "--radio", "1.5W")
    assert result.code == 0, result.err
    assert [line.split() for line in result.out.splitlines()[:5]] == [
        ["J", "W"],
        ["total", "300", "15"],
        ["radio", "30", "1.5"],
        ["idle", "160", "8"],
        ["computing", "110", "5.5"],
    ]
    document = cli("energy", "--readings", "r.csv", "--json").document
    assert document["computing_joules"] == 140.0
    for arguments, complaint in [
        ((), "write the command after `--`"),
        (("--readings", "none.csv"), "none.csv"),
        (("--idle", "10", "--", "true"), "--idle 10: write a time"),
        (("--readings", "r.csv", "--radio", "3"), "--radio 3: write a power, such as 0.4W, or an energy"),
        (("--readings", "r.csv", "--", "true"), "r.csv exists already; add --force"),
    ]:
        result = cli("energy", *arguments)
        assert (result.code, complaint in result.err) == (2, True), result.err
    if not any(Path("/sys/class/powercap").glob("*")) and not any(Path("/sys/class/power_supply").glob("*")):
        result = cli("energy", "--", "true")
        assert result.code == 2
        assert "nothing counts energy here" in result.err
        assert "tworay energy --readings FILE.csv" in result.err
