"""Variants written in Python."""

from __future__ import annotations

import linecache
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from conftest import command, finished_runs

import tworay
from tworay.errors import InputError, RunError
from tworay.experiment.store.reading import source_digests
from tworay.running.control import load_class

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "sca.py"
WORLD = {"set": {"duration": "20s"}, "seed": 5}

RAISES = """
import tworay

class Clumsy(tworay.CongestionControl):
    def on_loss(self, state, loss):
        raise ZeroDivisionError("a bad day")

class Silent(tworay.CongestionControl):
    pass
"""


def outcome(run: tworay.Run) -> dict[str, Any]:
    """Everything but the name and the time it took."""
    document = dict(run.summary)
    del document["cpu_seconds"]
    document["flows"] = [{**flow, "tcp": ""} for flow in document["flows"]]
    return document


@pytest.mark.parametrize("scenario", ["string-4", "string-8", "cross"])
def test_the_example_equals_the_built_in_bit_for_bit(scenario: str) -> None:
    built_in = tworay.run(scenario, tcp="newreno+sca(10)", **WORLD)
    own = tworay.run(scenario, tcp=f"{EXAMPLE}:SCA", **WORLD)
    assert outcome(own) == outcome(built_in)
    assert own.series.equals(built_in.series)
    # And it does something: plain NewReno goes another way.
    assert outcome(tworay.run(scenario, tcp="newreno", **WORLD)) != outcome(own)


PREDICTOR = EXAMPLE.with_name("predictor.py")


def test_the_predictor_of_the_example_equals_the_built_in() -> None:
    world = {"set": {"duration": "20s", "wire_kind.sink.errors.bernoulli.rate": 0.01}, "seed": 5}
    built_in = tworay.run("dumbbell-10", tcp="probing", **world)
    own = tworay.run("dumbbell-10", tcp=f"{PREDICTOR}:Vegas", **world)
    assert outcome(own) == outcome(built_in)
    assert outcome(tworay.run("dumbbell-10", tcp="probing(predictor=none)", **world)) != outcome(own)


def test_a_predictor_is_asked_about_losses_and_takes_parameters() -> None:
    world = {"set": {"duration": "20s", "wire_kind.sink.errors.bernoulli.rate": 0.01}, "seed": 5}

    def counted(answer: bool, variant: str) -> dict[str, float]:
        class Own(tworay.LossPredictor):
            probing = variant

            def contention(self, state: tworay.SenderState, loss: tworay.LossEvent) -> bool:
                assert loss.standard.ssthresh >= 2
                return answer

        flows = tworay.run("dumbbell-10", tcp=Own, **world).summary["flows"]
        names = {name for flow in flows for name in flow["counted"]}
        return {name: sum(flow["counted"][name] for flow in flows) for name in names}

    # Contention at every loss: only timeouts would be probed, and with gate_rto not these either.
    always = counted(True, "probing(gate_rto=yes)")
    assert always.pop("predicted") > 10
    assert not any(always.values())
    never = counted(False, "probing")
    assert never["predicted"] == 0
    assert sum(never.values()) > 10


PREDICTORS = """
import tworay

class Idle(tworay.LossPredictor):
    pass

class Elsewhere(tworay.LossPredictor):
    probing = "newreno"
    def contention(self, state, loss): return True

class Unknown(tworay.LossPredictor):
    probing = "probing(thresold=3)"
    def contention(self, state, loss): return True

class Decides(tworay.LossPredictor):
    def contention(self, state, loss): return True
    def on_loss(self, state, loss): return 1

class Recovers(tworay.LossPredictor):
    recovery = "sack"
    def contention(self, state, loss): return True

class Vague(tworay.LossPredictor):
    def contention(self, state, loss): return "perhaps"
"""


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("Idle", "write def contention(self, state, loss)"),
        ("Elsewhere", "probing = 'newreno' has no predictor"),
        ("Unknown", "probing has no parameter thresold"),
        ("Decides", "Decides.on_loss is never called; there are on_ack, on_rtt, contention"),
        ("Recovers", "Recovers.recovery is never called"),
    ],
)
def test_predictors_that_cannot_work(tmp_path: Path, name: str, complaint: str) -> None:
    (tmp_path / "mine.py").write_text(PREDICTORS)
    with pytest.raises(InputError) as caught:
        tworay.run("dumbbell-10", tcp=f"{tmp_path}/mine.py:{name}", set={"duration": "3s"})
    assert complaint in str(caught.value)


def test_a_predictor_with_a_wrong_answer_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PREDICTORS)
    with pytest.raises(RunError) as caught:
        tworay.run(
            "dumbbell-10",
            tcp=f"{tmp_path}/mine.py:Vague",
            set={"duration": "20s", "wire_kind.sink.errors.bernoulli.rate": 0.01},
        )
    assert "it returned str; allowed are True" in str(caught.value)


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 40


@pytest.mark.parametrize("recovery", ["tahoe", "reno", "newreno", "sack"])
def test_a_class_without_callbacks_is_the_standard(recovery: str) -> None:
    plain = type("Plain", (tworay.CongestionControl,), {"recovery": recovery})
    own, built_in = (outcome(tworay.run("string-4", tcp=tcp, **WORLD)) for tcp in (plain, recovery))
    for document in (own, built_in):
        # A class hears of every sample, which is counted as an operation.
        document["flows"][0].pop("operations", None)
    assert own == built_in


def test_the_state_can_be_read() -> None:
    seen: list[tuple[Any, ...]] = []

    class Curious(tworay.CongestionControl):
        def on_ack(self, state: tworay.SenderState, ack: tworay.AckEvent) -> tworay.Window:
            seen.append((state.now, state.cwnd, state.ssthresh, state.flight, state.hops, state.rto))
            assert state.una <= state.nxt <= state.max
            assert state.mss == 1460
            assert state.window == tworay.Window(state.cwnd, state.ssthresh)
            return ack.standard

        def on_rtt(self, state: tworay.SenderState, rtt: tworay.RttEvent) -> None:
            assert rtt.exact > 0
            assert state.srtt is not None

    result = tworay.run("string-3", tcp=Curious, set={"duration": "5s"})
    assert result.summary["flows"][0]["tcp"] == "Curious"
    assert len(seen) > 10
    times = [row[0] for row in seen]
    assert times == sorted(times)
    assert {row[4] for row in seen[1:]} == {3}, "AODV: from the ACKs' hop limit"


def test_answers_of_every_kind() -> None:
    class Three(tworay.CongestionControl):
        def on_ack(self, state: tworay.SenderState, ack: tworay.AckEvent) -> float:
            return 3

        def on_loss(self, state: tworay.SenderState, loss: tworay.LossEvent) -> tuple[float, float]:
            return 3, 3

        def on_rto(self, state: tworay.SenderState, rto: tworay.RtoEvent) -> tworay.Reaction:
            return tworay.Reaction(tworay.Window(3, 3), guess="link-failure", back_off=False)

    result = tworay.run("string-6", tcp=Three, set={"duration": "60s"})
    assert result.series["cwnd_segments"].max() <= 3
    assert result.timeouts


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (float("nan"), "cwnd = NaN"),
        (0, "cwnd = 0"),
        ((1.0, float("inf")), "ssthresh = inf"),
        ("much", "it returned str; allowed are a Window"),
        ((1, 2, 3), "it returned tuple"),
    ],
)
def test_wrong_answers_end_the_run(answer: Any, complaint: str) -> None:
    class Wrong(tworay.CongestionControl):
        def on_ack(self, state: tworay.SenderState, ack: tworay.AckEvent) -> Any:
            return answer

    with pytest.raises(RunError, match="Wrong raised in on_ack at") as error:
        tworay.run("string-1", tcp=Wrong, set={"duration": "2s"})
    assert complaint in str(error.value)


def test_a_constructor_that_raises_ends_the_run() -> None:
    class Never(tworay.CongestionControl):
        def __init__(self) -> None:
            raise KeyError("no")

    with pytest.raises(RunError, match="Never raised in __init__") as error:
        tworay.run("string-1", tcp=Never, set={"duration": "2s"})
    assert isinstance(error.value.__cause__, KeyError)


def test_a_callback_that_raises_ends_its_run_with_a_traceback(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(RAISES)
    result = cli("run", "string-6", "--tcp", "mine.py:Clumsy")
    assert result.code == 1
    assert result.out == ""
    assert "mine.py:Clumsy raised in on_loss at" in result.err
    assert 'line 6, in on_loss\n    raise ZeroDivisionError("a bad day")' in result.err
    assert "ZeroDivisionError: a bad day" in result.err


def test_other_runs_of_a_compare_go_on(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(RAISES)
    result = cli(
        "compare", "string-6", "--tcp", "newreno,mine.py:Clumsy,mine.py:Silent", "--seeds", "2", "--json"
    )
    assert result.code == 1
    assert "ZeroDivisionError: a bad day" in result.err
    assert "2 of 6 runs failed" in result.err
    variants = result.document["variants"]
    assert variants["newreno"]["goodput_bps"]["n"] == 2
    assert variants["mine.py:Silent"]["goodput_bps"] == variants["newreno"]["goodput_bps"]


def test_compare_takes_classes() -> None:
    class Mine(tworay.CongestionControl):
        pass

    result = tworay.compare("string-2", tcp=[Mine, "newreno"], seeds=2, set={"duration": "5s"}, jobs=2)
    assert result.variants == ["Mine", "newreno"]
    assert len(result) == 4


@pytest.mark.parametrize(
    ("text", "reference", "complaint"),
    [
        ("", "nowhere.py:Mine", "there is no file"),
        ("x = ", "mine.py:Mine", "can't be imported:\nTraceback"),
        (RAISES, "mine.py:Mine", "has no class Mine; there are Clumsy, Silent"),
        ("", "mine.py:Mine", "has no class Mine; write class Mine(tworay.CongestionControl)"),
        ("Mine = 3", "mine.py:Mine", "is not a subclass of tworay.CongestionControl"),
        (
            "import tworay\nclass Mine(tworay.CongestionControl):\n    recovery = 'vegas'",
            "mine.py:Mine",
            "recovery = 'vegas' is unknown; allowed are tahoe, reno, newreno, sack",
        ),
    ],
)
def test_what_is_no_variant_is_refused(
    cli: Callable[..., Result], tmp_path: Path, text: str, reference: str, complaint: str
) -> None:
    (tmp_path / "mine.py").write_text(text)
    result = cli("run", "string-1", "--tcp", reference)
    assert result.code == 2
    assert complaint in result.err
    if reference.startswith("mine"):
        with pytest.raises(InputError):
            tworay.load("string-1", tcp=str(tmp_path / reference))


def test_a_scenario_that_names_a_class_without_its_file_says_so(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    stored = tworay.scenario_text("string-2").replace('variant = "newreno"', 'variant = "mine.py:Mine"')
    assert "mine.py:Mine" in stored
    (tmp_path / "stored.toml").write_text(stored)
    result = cli("run", str(tmp_path / "stored.toml"))
    assert (result.code, result.out) == (2, "")
    assert f"there is no file {tmp_path / 'mine.py'}" in result.err


LOOPS = """
import pathlib
import time
import tworay

class Endless(tworay.CongestionControl):
    def on_ack(self, state, ack):
        pathlib.Path("begun").touch()
        while True:
            pass

class Deaf(tworay.CongestionControl):
    def on_ack(self, state, ack):
        pathlib.Path("begun").touch()
        while True:
            try:
                time.sleep(0.001)
            except BaseException:
                pass

class Asleep(tworay.CongestionControl):
    def on_ack(self, state, ack):
        pathlib.Path("begun").touch()
        time.sleep(3600)
"""


def wait_for(process: subprocess.Popen[str], happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("variant", ["Endless", "Deaf", "Asleep"])
@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_callback_that_never_returns_is_ended_by_a_signal(
    tmp_path: Path, variant: str, signal_number: int
) -> None:
    (tmp_path / "loops.py").write_text(LOOPS)
    process = subprocess.Popen(
        command("run", "string-2", "--tcp", f"loops.py:{variant}", "--set", "duration=20s"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        wait_for(process, (tmp_path / "begun").exists)
        process.send_signal(signal_number)
        # Within a second on a machine of its own; tests share theirs.
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert stdout == ""
    assert "Traceback" not in stderr


def test_a_comparison_with_an_endless_variant_keeps_its_finished_runs(tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text(LOOPS)
    out = tmp_path / "results"
    process = subprocess.Popen(
        command(
            *("compare", "string-2", "--tcp", "reno,loops.py:Endless", "--seeds", "3", "--jobs", "2"),
            *("--set", "duration=5s", "--out", out),
        ),
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        wait_for(process, lambda: (tmp_path / "begun").exists() and finished_runs(out) > 0)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert f"interrupted; finished runs are in {out}" in stderr
    assert "Traceback" not in stderr
    assert (out / "summary.json").is_file()


VARIANT = """
import tworay
{}

class Mine(tworay.CongestionControl):
    def on_loss(self, state, loss):
        state.cwnd *= FACTOR
"""


def digest(folder: Path) -> str | None:
    """Return the digest of the variant in a directory, as a process that has not imported it before."""
    linecache.clearcache()
    for name in ("constants", "more_constants"):
        sys.modules.pop(name, None)
    return source_digests({"mine": load_class(f"{folder}/mine.py:Mine")})["mine"]


def test_results_remember_the_whole_file_of_a_variant(tmp_path: Path) -> None:
    """A constant beside the class decides what the class does."""
    found = []
    for factor in ("FACTOR = 0.5", "FACTOR = 0.7", "FACTOR = 0.5"):
        (tmp_path / "mine.py").write_text(VARIANT.format(factor))
        found.append(digest(tmp_path))
    assert found[0] == found[2] != found[1]
    assert None not in found


def test_results_remember_the_files_that_a_variant_imports(tmp_path: Path) -> None:
    """A variant may take its constants from modules beside it, and these from others."""
    (tmp_path / "mine.py").write_text(VARIANT.format("from constants import FACTOR, of"))
    found = []
    for factor in (0.5, 0.7, 0.5):
        (tmp_path / "constants.py").write_text(
            "import more_constants\nFACTOR = more_constants.FACTOR\ndef of(): pass\n"
        )
        (tmp_path / "more_constants.py").write_text(f"FACTOR = {factor}\n")
        found.append(digest(tmp_path))
    assert found[0] == found[2] != found[1]


def test_a_variant_of_a_notebook_has_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of a notebook or a shell has no file, and its classes no source."""
    notebook = ModuleType("notebook_cell")
    monkeypatch.setitem(sys.modules, "notebook_cell", notebook)
    exec("import sys\nimport tworay\nclass Mine(tworay.CongestionControl):\n    pass\n", vars(notebook))
    assert source_digests({"mine": notebook.Mine}) == {"mine": None}
