"""Scenarios from the answers to five questions: ``tworay new``."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tworay.errors import InputError, ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

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
ROUTING = {
    "aodv": "finds routes when they are needed (RFC 3561)",
    "dsr": "finds routes when they are needed, and writes them into packets (RFC 4728)",
    "olsr": "keeps routes to everyone (RFC 3626)",
    "static": "shortest paths, known from the start",
}
MOST_NODES = 1000
# More transfers than these only share the medium further.
MOST_FLOWS = 10
# Range of the default radio, m.
RANGE = 250
NEAREST = 10


class Question(NamedTuple):
    """A question: the option that answers it, its text, the answers allowed, and the default."""

    name: str
    text: str
    choices: dict[str, str] | None
    """Meaning of each answer; None: a number of ``least`` to ``most``."""
    default: str
    least: int = 0
    most: int = 0

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
    Question("distance", "How many metres are neighbours apart?", None, "180", NEAREST, RANGE),
    Question("traffic", "Who sends to whom?", TRAFFIC, "gateway"),
    Question("routing", "Which protocol finds the routes?", ROUTING, "aodv"),
)


@dataclass(frozen=True)
class Answers:
    """An answer to each question, checked."""

    layout: str
    nodes: int
    distance: int
    """In metres."""
    traffic: str
    routing: str

    @classmethod
    def of(cls, words: dict[str, str]) -> Answers:
        """Check the answers, by the names of the questions."""
        found = {one.name: one.check(words[one.name]) for one in QUESTIONS}
        nodes, distance = int(found.pop("nodes")), int(found.pop("distance"))
        return cls(nodes=nodes, distance=distance, **found)


def scenario_text(answers: Answers, name: str) -> str:
    """Return the scenario as TOML, with comments that say what to change.

    Raises:
        InputError: the number of nodes makes no grid.

    """
    flows = _flows(answers)
    transfers = f"{len(flows)} TCP transfer{'s' * (len(flows) != 1)}"
    parts = [
        f"# Written by `tworay new`. Every key: docs/reference/scenario.md, or `tworay schema`.\n"
        f"name = {json.dumps(name, ensure_ascii=False)}\n"
        f'summary = "{answers.nodes} nodes {LAYOUTS[answers.layout]}, {transfers}"\n'
        f'duration = "120s"\n',
        _topology(answers),
        f"# {answers.routing} {ROUTING[answers.routing]}. Others: {_others(ROUTING, answers.routing)}.\n"
        f'[routing]\nprotocol = "{answers.routing}"\n',
        "# The TCP of flows that name none. `tworay variants` lists them; `--tcp A,B` of `tworay compare`\n"
        '# replaces it.\n[tcp]\nvariant = "newreno"\n',
        f"# Traffic: {TRAFFIC[answers.traffic]}.\n"
        "# Transfers start a little apart, so that they don't act in step.\n"
        '# Others: app = "cbr" with a rate, such as "64kbps", and a size.\n',
    ]
    for place, (sender, receiver) in enumerate(flows):
        start = f"{1 + place / 10:.1f}s"
        parts.append(f'[[flow]]\nfrom = {sender}\nto = {receiver}\napp = "ftp"\nstart = "{start}"\n')
    return "\n".join(parts)


def check_runs(text: str, file: Path) -> None:
    """Read a scenario's text and place its nodes; raise ``InputError`` where that fails."""
    from tworay.running.scenarios import load_text, moves

    try:
        moves(load_text(text, file, {}))
    except ScenarioError as error:
        problem = str(error).partition("\n")[0]
        raise InputError(
            f"these answers make no connected network; take a smaller --distance or other nodes ({problem})"
        ) from error


def _others(choices: dict[str, str], chosen: str) -> str:
    return ", ".join(name for name in choices if name != chosen)


def _topology(answers: Answers) -> str:
    spacing = f'spacing = "{answers.distance}m"\n'
    heard = f"# The default radio reaches {RANGE} m and is sensed at 550 m; [radio] changes that.\n"
    if answers.layout == "string":
        return f'{heard}[topology]\nkind = "string"\nhops = {answers.nodes - 1}\n{spacing}'
    if answers.layout == "grid":
        rows, columns = _grid(answers.nodes)
        return f'{heard}[topology]\nkind = "grid"\nrows = {rows}\ncolumns = {columns}\n{spacing}'
    side = math.ceil(answers.distance * math.sqrt(answers.nodes))
    square = (
        f"{heard}# A square with one node to {answers.distance} m x {answers.distance} m. "
        "Each seed places the nodes anew.\n"
        f'[topology]\nkind = "uniform"\nnodes = {answers.nodes}\nwidth = "{side}m"\nheight = "{side}m"\n'
    )
    if answers.layout == "random":
        return f'{square}connected_within = "{RANGE}m"\n'
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


def _flows(answers: Answers) -> list[tuple[int, int]]:
    """Return sender and receiver of each transfer."""
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
