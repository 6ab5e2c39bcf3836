"""Scenarios from the answers to a few questions: ``tworay new``."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tworay.errors import InputError, ScenarioError
from tworay.guide import more
from tworay.running import flows
from tworay.running.radios import Preset, presets

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.running.scenarios import Scenario

LAYOUTS = {
    "string": "in a row",
    "grid": "in rows and columns",
    "random": "anywhere in a square, but connected",
    "moving": "walk about in a square at 1 to 5 m/s",
}
TRAFFIC = {
    "ends": "one transfer, from the first node to the last",
    "gateway": "node 0 sends to the others, as a gateway to the Internet does",
    "pairs": "transfers side by side, each between nodes of its own",
}
APPS = {
    "ftp": "bulk data over TCP, without end",
    "web": "pages of 2 kB to 1 MB over TCP, one every 2 s",
    "request": "requests and short answers over TCP",
    "video": "video over TCP at 200 kb/s, for a player with a buffer",
    "cbr": "a call: datagrams at 64 kb/s",
    "on-off": "datagrams at 64 kb/s in bursts",
    "mixed": "web, video and bulk data in turn",
}
MIXED = ("web", "video", "ftp")
# Settings of datagrams: 20 ms of a call at 64 kb/s.
CALL = {"cbr": ":rate=64kbps:size=160B"}
ROUTING = {
    "aodv": "finds routes when they are needed (RFC 3561)",
    "dsr": "finds routes when they are needed, and writes them into packets (RFC 4728)",
    "olsr": "keeps routes to everyone (RFC 3626)",
    "static": "shortest paths, known from the start",
}
DEFAULT_RADIO = "b-2"
RADIOS = {one.name: f"{one.summary.rstrip('.')}; reaches {one.reach:.0f} m" for one in presets()}
MOST_NODES = 1000
# More transfers than these only share the medium further.
MOST_FLOWS = 10
NEAREST = 10
FURTHEST = int(max(one.reach for one in presets()))
"""The largest reach of a preset, m."""


class Question(NamedTuple):
    """A question: the option that answers it, its text, the answers allowed, and the default."""

    name: str
    text: str
    choices: dict[str, str] | None
    """Meaning of each answer; None: a number of ``least`` to ``most``."""
    default: str
    least: int = 0
    most: int = 0
    is_asked: bool = True
    """False if only the option answers it."""

    def check(self, answer: str) -> str:
        """Return an answer in its usual spelling; raise ``InputError`` if it is not allowed."""
        word = answer.strip().lower()
        if self.choices is not None:
            if word in self.choices:
                return word
            from tworay._native import nearest

            near = nearest(word, list(self.choices))
            hint = f"; did you mean {near}?" if near else ""
            raise InputError(f"--{self.name} {answer}: allowed are {', '.join(self.choices)}{hint}")
        if word.isascii() and word.isdigit() and self.least <= int(word) <= self.most:
            return str(int(word))
        raise InputError(f"--{self.name} {answer}: write a whole number, {self.least} to {self.most}")


QUESTIONS = (
    Question("layout", "How do the nodes stand?", LAYOUTS, "random"),
    Question("nodes", "How many nodes are there?", None, "8", 2, MOST_NODES),
    Question("radio", "Which radio do they have?", RADIOS, DEFAULT_RADIO),
    Question("distance", "How many metres are neighbours apart?", None, "180", NEAREST, FURTHEST),
    Question("traffic", "Who sends to whom?", TRAFFIC, "gateway"),
    Question("app", "What do they send?", APPS, "ftp", is_asked=False),
    Question("routing", "Which protocol finds the routes?", ROUTING, "aodv", is_asked=False),
)


def within_reach(question: Question, words: dict[str, str]) -> Question:
    """Return the question about the distance with the reach of the answered radio; others as they are."""
    if question.name != "distance" or "radio" not in words:
        return question
    radio = preset_of(words["radio"])
    text = f"{question.text} {radio.name} reaches {radio.reach:.0f} m"
    if "standard" in radio.radio:
        text += ", and is faster the closer they are"
    return question._replace(text=text + ".", most=int(radio.reach))


def preset_of(name: str) -> Preset:
    """Return the preset with this name."""
    (found,) = [one for one in presets() if one.name == name]
    return found


@dataclass(frozen=True)
class Answers:
    """An answer to each question, checked."""

    layout: str
    nodes: int
    radio: str
    """Value of `radio.preset`."""
    distance: int
    """In metres."""
    traffic: str
    app: str
    routing: str

    @classmethod
    def of(cls, words: dict[str, str]) -> Answers:
        """Check the answers, by the names of the questions."""
        found: dict[str, str] = {}
        for one in QUESTIONS:
            found[one.name] = within_reach(one, found).check(words[one.name])
        nodes, distance = int(found.pop("nodes")), int(found.pop("distance"))
        return cls(nodes=nodes, distance=distance, **found)


def scenario_text(answers: Answers, name: str) -> str:
    """Return the scenario as TOML, with comments that say what to change.

    Raises:
        InputError: the number of nodes makes no grid.

    """
    pairs = _pairs(answers)
    transfers = f"{len(pairs)} flow{'s' * (len(pairs) != 1)} of {answers.app}"
    parts = [
        f"# Written by `tworay new`. Every key: {more('keys')}.\n"
        f"name = {json.dumps(name, ensure_ascii=False)}\n"
        f'summary = "{answers.nodes} nodes {LAYOUTS[answers.layout]}, {transfers}"\n'
        f'duration = "120s"\n',
        _topology(answers),
        _radio(answers),
        f"# {answers.routing} {ROUTING[answers.routing]}. "
        f"Others: {', '.join(_others(ROUTING, answers.routing))}.\n"
        f'[routing]\nprotocol = "{answers.routing}"\n',
        "# The TCP of flows that name none. `tworay variants` lists them; `--tcp A,B` of `tworay compare`\n"
        '# replaces it.\n[tcp]\nvariant = "newreno"\n',
        f"# Traffic: {TRAFFIC[answers.traffic]}; {APPS[answers.app]}.\n"
        "# Flows start a little apart, so that they don't act in step.\n"
        f"# Others: app = {', '.join(_others(dict.fromkeys(flows.apps(), ''), answers.app))}"
        f" ({more('flows')} has their keys).\n",
    ]
    for place, (sender, receiver) in enumerate(pairs):
        app = MIXED[place % len(MIXED)] if answers.app == "mixed" else answers.app
        flow = f"{sender}:{receiver}:{app}{CALL.get(app, '')}:start={1 + place / 10:.1f}s"
        parts.append(flows.tables([flow]).lstrip())
    return "\n".join(parts)


def next_step(answers: Answers, file: Path, world: Scenario) -> str:
    """Return the command that answers a question with this scenario."""
    if not world.tcp_flows:
        return f"tworay compare {file} --vary routing.protocol=aodv,dsr,olsr --seeds 10"
    metrics = {
        "web": " --metrics transfer_seconds,transfer_p95_seconds",
        "request": " --metrics transfer_seconds,transfer_p95_seconds",
        "video": " --metrics stalls,stalled_seconds",
    }
    return f"tworay compare {file} --tcp newreno,cubic,vegas --seeds 10{metrics.get(answers.app, '')}"


def check_runs(text: str, file: Path) -> Scenario:
    """Read a scenario's text and place its nodes; raise ``InputError`` where that fails."""
    from tworay.running.scenarios import load_text, moves

    try:
        world = load_text(text, file, {})
        moves(world)
    except ScenarioError as error:
        problem = str(error).partition("\n")[0]
        raise InputError(
            f"these answers make no connected network; take a smaller --distance or other nodes ({problem})"
        ) from error
    return world


def _others(choices: dict[str, str], chosen: str) -> list[str]:
    return [name for name in choices if name != chosen]


def _radio(answers: Answers) -> str:
    """Return the table of the radio."""
    one = preset_of(answers.radio)
    about = f"# {one.summary.rstrip('.')}.\n# It reaches {one.reach:.0f} m"
    about += (
        ": its slowest rate does; the rate control takes faster ones over shorter hops.\n"
        if "standard" in one.radio
        else f" and is sensed at {one.sensed:.0f} m.\n"
    )
    others = ", ".join(_others(RADIOS, answers.radio))
    return f'{about}# Others: {others} ({more("radios")}).\n[radio]\npreset = "{answers.radio}"\n'


def _topology(answers: Answers) -> str:
    spacing = f'spacing = "{answers.distance}m"\n'
    if answers.layout == "string":
        return f'[topology]\nkind = "string"\nhops = {answers.nodes - 1}\n{spacing}'
    if answers.layout == "grid":
        rows, columns = _grid(answers.nodes)
        return f'[topology]\nkind = "grid"\nrows = {rows}\ncolumns = {columns}\n{spacing}'
    side = math.ceil(answers.distance * math.sqrt(answers.nodes))
    square = (
        f"# A square with one node to {answers.distance} m x {answers.distance} m. "
        "Each seed places the nodes anew.\n"
        f'[topology]\nkind = "uniform"\nnodes = {answers.nodes}\nwidth = "{side}m"\nheight = "{side}m"\n'
    )
    if answers.layout == "random":
        return f'{square}connected_within = "{int(preset_of(answers.radio).reach)}m"\n'
    return (
        f"{square}\n# Random waypoints: walk to a place, pause, walk on.\n"
        '[mobility]\nkind = "random-waypoint"\nmin_speed = "1m/s"\nmax_speed = "5m/s"\npause = "10s"\n'
    )


def _grid(nodes: int) -> tuple[int, int]:
    """Return the rows and columns of the squarest grid."""
    rows = _rows(nodes)
    if rows == 1 and nodes > 3:
        # The numbers beside a prime above 3 are even.
        raise InputError(
            f"--nodes {nodes}: rows of equal length don't hold them; take {nodes - 1} or {nodes + 1}"
        )
    return rows, nodes // rows


def _rows(nodes: int) -> int:
    return max(rows for rows in range(1, math.isqrt(nodes) + 1) if nodes % rows == 0)


def _pairs(answers: Answers) -> list[tuple[int, int]]:
    """Return sender and receiver of each flow."""
    nodes = answers.nodes
    if answers.traffic == "ends":
        return [(0, nodes - 1)]
    if answers.traffic == "gateway":
        count = min(nodes - 1, MOST_FLOWS)
        # Spread over all nodes.
        return [(0, 1 + place * (nodes - 1) // count) for place in range(count)]
    half = nodes // 2
    count = min(half, MOST_FLOWS)
    return [(place * half // count, place * half // count + half) for place in range(count)]
