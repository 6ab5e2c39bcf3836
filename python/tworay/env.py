"""A Gymnasium environment in which an agent controls one TCP sender of a scenario.

The simulation runs in its own thread and waits at each decision until the agent has acted. Environments share
nothing, so several can run in parallel, each in its own thread.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from tworay._native import RunControl
from tworay.errors import InputError
from tworay.running.control import CongestionControl, Window
from tworay.running.run import run
from tworay.running.scenarios import load

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise InputError("tworay.Env needs Gymnasium; install it: pip install gymnasium") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tworay.running.control import AckEvent, LossEvent, RateSample, Recovery, RtoEvent, SenderState
    from tworay.running.scenarios import Source

OBSERVED = {
    "cwnd": 1e4,
    "flight": 1e4,
    "srtt": 1e3,
    "min_rtt": 1e3,
    "rate": 1e6,
    "acked": 1e6,
    "losses": 1e4,
    "timeouts": 1e4,
    "hops": 255.0,
    "elapsed": 1e5,
}
"""The values of an observation, in order, with their upper limits.

Congestion window and flight size (segments); smoothed and shortest round trip (s); the latest sample of the
delivery rate (segments/s); since the last decision: segments acknowledged, losses detected by duplicate ACKs,
timeouts; length of the path (hops, 0 if unknown); time since the last decision (s)."""

MOST_SEGMENTS = 1000.0
"""Largest congestion window of an action, segments."""
LONGEST_GAP = 1.0
"""Longest gap of an action, s."""


def delivered_megabits(observation: Mapping[str, float], mss: int) -> float:
    """Return the default reward: Mbit acknowledged since the last decision."""
    return observation["acked"] * mss * 8 / 1e6


class _EpisodeOver(Exception):
    """The environment was reset or closed in the middle of a run."""


class _Episode:
    """One run in its own thread."""

    def __init__(self, env: Env, seed: int) -> None:
        self.decisions: queue.SimpleQueue[dict[str, float] | dict[str, Any] | BaseException] = (
            queue.SimpleQueue()
        )
        self.actions: queue.SimpleQueue[tuple[float, float] | None] = queue.SimpleQueue()
        self.control = RunControl()
        self.summary: dict[str, Any] | None = None
        self.waits = False
        self._thread = threading.Thread(target=self._run, args=(env, seed), name="tworay.Env", daemon=True)
        self._thread.start()

    def _run(self, env: Env, seed: int) -> None:
        try:
            result = run(env.world(self), seed=seed, series=False, losses=False, control=self.control)
        except BaseException as error:  # Re-raised in the agent's thread.
            self.decisions.put(error)
        else:
            self.summary = result.summary
            self.decisions.put({})

    def decide(self, observation: dict[str, float]) -> tuple[float, float]:
        """Ask the agent for an action; called in the run's thread."""
        self.decisions.put(observation)
        action = self.actions.get()
        if action is None:
            raise _EpisodeOver
        return action

    def next(self) -> dict[str, float]:
        """Wait for the next decision; an empty one means that the run is over."""
        found = self.decisions.get()
        if isinstance(found, BaseException):
            self.waits = False
            raise found
        self.waits = bool(found)
        return found

    def end(self) -> None:
        """Stop the run, also in the middle of a decision."""
        self.control.cancel()
        if self.waits:
            self.actions.put(None)
        self._thread.join()


class Env(gymnasium.Env[np.ndarray, np.ndarray]):
    """One TCP sender of a scenario, controlled through its congestion window and pacing.

    An action is ``[cwnd, gap]``: congestion window in segments (1 to 1000) and minimum time between two
    segments in seconds (0 to 1; 0: no pacing). It holds until the next decision. A decision is due at the
    first ACK of new data after ``interval`` seconds, by default after a smoothed round trip, and at once when
    the retransmission timer expires. ``recovery`` names the loss recovery.

    An observation is a vector of the values in ``OBSERVED``; ``info`` contains the same by name, and ``now``
    (s). ``reward`` is called with these values and the segment size in bytes. An episode ends with the run;
    the last ``info["summary"]`` is the document of ``tworay run --json``. The same seed and actions give the
    same episode.

    Raises ``InputError`` if the scenario has no such TCP flow, ``ScenarioError`` for any other error.
    """

    def __init__(
        self,
        scenario: Source = "string-4",
        *,
        flow: int = 0,
        others: str = "newreno",
        recovery: Recovery = "newreno",
        interval: float | None = None,
        set: Mapping[str, object] | None = None,
        reward: Callable[[Mapping[str, float], int], float] = delivered_megabits,
    ) -> None:
        self._world = load(scenario, set=set)
        if not 0 <= flow < self._world.tcp_flows:
            raise InputError(f"flow = {flow}: the scenario has TCP flows 0 to {self._world.tcp_flows - 1}")
        if interval is not None and interval <= 0:
            raise InputError(f"interval = {interval}: choose seconds above 0, or None for a round trip")
        self._flow, self._others, self._recovery = flow, others, recovery
        self._interval, self._reward = interval, reward
        self._episode: _Episode | None = None
        self._mss = 0
        low, high = np.array([1.0, 0.0]), np.array([MOST_SEGMENTS, LONGEST_GAP])
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        self.observation_space = gymnasium.spaces.Box(
            np.zeros(len(OBSERVED)), np.array(list(OBSERVED.values())), dtype=np.float64
        )

    def world(self, episode: _Episode) -> Any:
        """Return the scenario with the agent as the variant of its flow."""
        env = self

        class Agent(_Agent):
            recovery = env._recovery
            interval = env._interval

            def ask(self, state: SenderState) -> None:
                env._mss = state.mss
                self.action = episode.decide(self.observe(state))

        choices: list[str | tuple[str, str, type]] = [self._others] * self._world.tcp_flows
        choices[self._flow] = ("agent", self._recovery, Agent)
        return self._world.with_flow_variants(choices)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a run with ``seed`` (default: random) and return the first observation."""
        super().reset(seed=seed)
        self.close()
        chosen = int(self.np_random.integers(2**32)) if seed is None else seed
        self._episode = _Episode(self, chosen)
        found = self._episode.next()
        return _vector(found), {**found, "seed": chosen}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Apply ``[cwnd, gap]`` until the next decision."""
        if self._episode is None or not self._episode.waits:
            raise InputError("the episode is over or has not begun; call reset")
        cwnd, gap = (float(value) for value in action)
        cwnd, gap = min(max(cwnd, 1.0), MOST_SEGMENTS), min(max(gap, 0.0), LONGEST_GAP)
        self._episode.actions.put((cwnd, gap))
        found = self._episode.next()
        if not found:
            info = {"summary": self._episode.summary}
            return np.zeros(len(OBSERVED)), 0.0, True, False, info
        return _vector(found), float(self._reward(found, self._mss)), False, False, dict(found)

    def close(self) -> None:
        """End the run, if one is in progress."""
        if self._episode is not None:
            self._episode.end()
            self._episode = None


def _vector(observation: Mapping[str, float]) -> np.ndarray:
    return np.array([min(observation[name], most) for name, most in OBSERVED.items()])


class _Agent(CongestionControl):
    """Counts events between decisions and asks for an action when one is due."""

    interval: float | None = None

    def __init__(self) -> None:
        self.action: tuple[float, float] | None = None
        self.last = 0.0
        self.min_rtt = 0.0
        self.rate = 0.0
        self.acked = self.losses = self.timeouts = 0.0

    def ask(self, state: SenderState) -> None:
        """Get the next action."""
        raise NotImplementedError

    def observe(self, state: SenderState) -> dict[str, float]:
        """Return the observation since the last decision and reset the counters."""
        found = {
            "now": state.now,
            "cwnd": state.cwnd,
            "flight": state.flight,
            "srtt": state.srtt or 0.0,
            "min_rtt": self.min_rtt,
            "rate": self.rate,
            "acked": self.acked,
            "losses": self.losses,
            "timeouts": self.timeouts,
            "hops": float(state.hops),
            "elapsed": state.now - self.last,
        }
        self.last = state.now
        self.acked = self.losses = self.timeouts = 0.0
        return found

    def window(self) -> Window | None:
        """Return the window of the last action; ``None`` before the first."""
        if self.action is None:
            return None
        cwnd, gap = self.action
        return Window(cwnd, cwnd, gap=gap)

    def on_ack(self, state: SenderState, ack: AckEvent) -> Window | None:
        self.acked += ack.segments
        due = self.interval if self.interval is not None else state.srtt or 0.0
        # The receiving end also runs an agent, but only its SYN is ever acknowledged.
        if ack.bytes > 1 and state.now >= self.last + due:
            self.ask(state)
        return self.window()

    def on_loss(self, state: SenderState, loss: LossEvent) -> Window | None:
        self.losses += 1
        return self.window()

    def on_rto(self, state: SenderState, rto: RtoEvent) -> Window | None:
        self.timeouts += 1
        if self.action is not None:
            self.ask(state)
        return self.window()

    def on_rate(self, state: SenderState, rate: RateSample) -> None:
        if rate.rtt is not None:
            self.min_rtt = min(self.min_rtt or rate.rtt, rate.rtt)
        self.rate = rate.rate or self.rate
