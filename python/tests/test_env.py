"""The Gymnasium environment: its form, its determinism, many at once, and what its actions do."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tworay
from tworay.env import OBSERVED

SHORT = {"duration": "8s", "routing.protocol": "static"}


def episode(env: tworay.Env, seed: int, action: list[float]) -> tuple[list[np.ndarray], dict]:
    """Hold one action to the end; return the observations and the last document."""
    seen, _ = env.reset(seed=seed)
    observations, over, info = [seen], False, {}
    while not over:
        seen, _, over, _, info = env.step(np.array(action))
        observations.append(seen)
    return observations, info["summary"]


# Segments and seconds, not shares of a range: wrappers.RescaleAction makes those.
@pytest.mark.filterwarnings("ignore:.*symmetric and normalized")
def test_gymnasiums_own_check() -> None:
    env = tworay.Env(set=SHORT)
    # It checks spaces, types, determinism by seed, and that reset and step keep to the interface.
    check_env(env, skip_render_check=True)
    env.close()


def test_the_same_seed_and_actions_give_the_same_episode() -> None:
    env = tworay.Env(set=SHORT)
    first, document = episode(env, 3, [4.0, 0.0])
    again, same = episode(env, 3, [4.0, 0.0])
    assert len(first) > 20
    assert np.array_equal(first, again)
    assert document["flows"] == same["flows"]
    other, _ = episode(env, 4, [4.0, 0.0])
    assert not np.array_equal(first, other)


def test_actions_steer_the_sender() -> None:
    env = tworay.Env(set=SHORT, interval=0.1)
    narrow, one = episode(env, 1, [1.0, 0.0])
    _, four = episode(env, 1, [4.0, 0.0])
    assert four["flows"][0]["goodput_bps"] > 1.1 * one["flows"][0]["goodput_bps"], (
        "four hops carry more than one segment"
    )
    assert max(row[list(OBSERVED).index("flight")] for row in narrow[3:]) <= 1.0
    _, paced = episode(env, 1, [4.0, 0.25])
    # Four segments a second, of 1460 bytes unless the scenario says otherwise.
    sent = paced["flows"][0]["sent_segments"]
    assert 20 < sent <= 4 * 8 + 12, "the window before the first decision is not paced"


def test_many_at_once_give_what_each_gives_alone() -> None:
    seeds = [1, 2, 3, 4]
    alone = [episode(tworay.Env(set=SHORT), seed, [3.0, 0.0])[0] for seed in seeds]
    together: dict[int, list[np.ndarray]] = {}

    def work(seed: int) -> None:
        together[seed] = episode(tworay.Env(set=SHORT), seed, [3.0, 0.0])[0]

    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, expected in zip(seeds, alone, strict=True):
        assert np.array_equal(together[seed], expected), seed


def test_a_run_can_be_left_in_the_middle() -> None:
    env = tworay.Env(set=SHORT)
    env.reset(seed=1)
    env.step(np.array([2.0, 0.0]))
    before = threading.active_count()
    env.close()
    assert threading.active_count() == before - 1
    env.close()
    with pytest.raises(tworay.InputError, match="call reset"):
        env.step(np.array([2.0, 0.0]))


def test_it_steers_one_flow_of_several() -> None:
    env = tworay.Env("dumbbell-2", flow=1, set={"duration": "5s"})
    _, document = episode(env, 1, [2.0, 0.0])
    assert [flow["tcp"] for flow in document["flows"][:2]] == ["newreno", "agent"]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(tworay.InputError, match="TCP flows 0 to 0"):
        tworay.Env("string-4", flow=1)
    with pytest.raises(tworay.InputError, match="above 0"):
        tworay.Env("string-4", interval=0)
    with pytest.raises(tworay.ScenarioError):
        tworay.Env("strong-4")


def test_it_is_a_gymnasium_environment() -> None:
    assert issubclass(tworay.Env, gymnasium.Env)


def test_the_guides_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    guide = Path(__file__).parents[2] / "docs/guide/environment.md"
    example = re.search(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    assert example is not None
    exec(example[1], {})
    assert float(capsys.readouterr().out) > 200_000, "about what NewReno carries over four hops"
