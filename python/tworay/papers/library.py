"""Reads the papers from the package's data: a directory each, with paper, experiments and claims."""

from __future__ import annotations

import csv
import functools
import hashlib
import json
import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError
from tworay.papers.bands import last_digit
from tworay.papers.numbering import in_one, nearest, parsed, same
from tworay.papers.rule import MARGIN

if TYPE_CHECKING:
    from tworay.histograms import Rule

HERE = Path(__file__).parent
# The setting that selects the dialect, and the name of the reading that changes it.
DIALECT = "dialect"
STANDARD = "dialect: standard"
# Name of the reading that decides.
MAIN = "as judged"
READING_SEEDS = 8
OPTIONAL = ("paper", "known", "quote", "reading_of", "quoted")
KINDS = ("gain", "value", "grows", "agree", "summary", "shown", "cannot", "contradicted")


def reading_name(setting: str, value: str) -> str:
    """Return the name of the reading in which an open setting has a value."""
    return f"{setting}: {value}"


class Role(StrEnum):
    """The part of a claim in the tally: only a paper's own claims count, each once."""

    CLAIM = "claim"
    READING = "reading"
    """Another reading of a claim, which names it."""
    QUOTED = "quoted"
    """Quoted by the source from another one."""
    MECHANISM = "mechanism"
    """A description of an algorithm, which unit tests cover; it gets no verdict."""


@dataclass(frozen=True)
class Claim:
    """A claim as a testable statement; ``how`` has exactly one of ``KINDS``."""

    id: str
    source: str
    says: str
    how: dict[str, Any]
    paper: str = ""
    known: str = ""
    quote: str = ""
    """The sentence of the source that forces a label (`cannot`, `contradicted`), or that a band rests on."""
    reading_of: str = ""
    """The claim of which this is another reading."""
    quoted: bool = False
    """True if the source quotes it from another one."""

    @property
    def role(self) -> Role:
        """Its part in the tally."""
        if "shown" in self.how:
            return Role.MECHANISM
        if self.reading_of:
            return Role.READING
        return Role.QUOTED if self.quoted else Role.CLAIM

    @property
    def kind(self) -> str:
        """The key of ``KINDS`` that says how it is judged."""
        return next(kind for kind in KINDS if kind in self.how)

    @property
    def margin(self) -> float:
        """The margin of relevance, percent."""
        return float(self.how.get("margin", MARGIN))

    @property
    def experiment(self) -> str | None:
        """The experiment on which it is judged, the first of several."""
        return self.how.get("experiment")

    @property
    def experiments(self) -> tuple[str, ...]:
        """All experiments on which it is judged."""
        against = [self.how["against"]] if "against" in self.how else []
        return (self.experiment, *self.how.get("also", ()), *against) if self.experiment else ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The claims of which it is a summary."""
        return tuple(self.how.get("summary", ()))


# The key of a table of costs in a scenario.
COSTS = "energy.costs"


class State(StrEnum):
    """The state of a paper's figure or table in its reproduction."""

    DEFINED = "as defined"
    DEVIATING = "deviating"
    NOT_MADE = "not made"
    ADDED = "added"
    DRAWING = "drawing"
    """A drawing without data, such as of positions or of an algorithm."""
    SETTINGS = "settings"
    """A table of parameters without results."""


# States of what has no results.
WITHOUT_RESULTS = (State.DRAWING, State.SETTINGS)
# Keys of a figure that don't change what is drawn.
ABOUT = ("id", "title", "deviates", "missing", "own", "shows", "see")


@dataclass(frozen=True)
class Figure:
    """A figure or table: an experiment, and the metric and axes shown."""

    id: str
    title: str
    experiment: str | None = None
    metric: str = "goodput_bps"
    rows: str = ""
    cols: str | None = None
    where: dict[str, Any] = field(default_factory=dict)
    kind: str | None = None
    """Type of drawing: as `tworay table --kind`, `stack` (bars of `columns`), `table` (numbers only), a key
    of `tworay.papers.timelines.KINDS` (kept tables of runs), or of `tworay.papers.answers.KINDS` (numbers
    that compare arms)."""
    columns: tuple[str, ...] = ()
    """Metrics side by side in a table, instead of one metric."""
    table: str = "series"
    """For a trace or histogram: the kept table that has the column."""
    bins: Rule = "freedman-diaconis"
    """For a histogram: the rule for its bins."""
    mean_of: int = 1
    """For a trace: number of rows of the running mean."""
    window: tuple[float, float] | None = None
    """For drawings over time: the part shown, s."""
    over: str = ""
    """A label of rows or columns: in tables the differences of the others over it follow in percent."""
    panels: str = ""
    """An axis with a panel for each of its labels."""
    x: str = ""
    """Title of the axis of rows with its unit, if the paper's `[axes]` do not have it."""
    y: str = ""
    """Title of the axis of values with its unit, if that of the metric does not fit."""
    legend: str = ""
    """Title of the legend, if the paper's `[axes]` do not have it."""
    more: int = 0
    """Added to the numbers of scenarios as shown: 1 for the nodes of a string instead of its hops."""
    level: float = 0.95
    """Level of the intervals drawn; tables have 95 %."""
    singles: bool = False
    """True if single seeds are drawn beside the mean."""
    median: bool = False
    """True if medians are shown instead of means: single runs may lie far out."""
    apart: str = ""
    """For a stack: the column that is also drawn alone, in a panel with its own axis."""
    errors: dict[str, float] = field(default_factory=dict)
    """Relative half-widths of the 95 % interval of a measured factor, by row, which the intervals include."""
    axes: dict[str, str] = field(default_factory=dict)
    """Titles of the experiments' axes."""
    log: str = ""
    """The logarithmic axis: `x` (an axis of numbers) or `y`."""
    reference: float | None = None
    """A value with which the source compares: a dashed line, always on the axis of values."""
    top: float | None = None
    """Upper end of the axis of values; a note counts the single seeds above it."""
    marks: dict[str, float] = field(default_factory=dict)
    """For a trace: events of the scenario by their names, s."""
    at: dict[str, float] = field(default_factory=dict)
    """Place on the axis of numbers of labels without a number."""
    named: dict[str, str] = field(default_factory=dict)
    """Names of rows, columns, lines and panels as shown."""
    printed: dict[str, Any] = field(default_factory=dict)
    """Values of the paper, printed or read off, in the unit shown: by row, or by row and column or metric.
    Rows of a panel begin with its label and a slash."""
    deviates: str = ""
    """Its difference from the paper's figure."""
    shows: str = "results"
    """The kind: ``results``, or ``drawing`` or ``settings`` (see `State`)."""
    see: str = ""
    """For a drawing or table of settings: the scenario, dialect, variant or command that has its content."""
    own: bool = False
    """True if it is no figure of the paper but an addition."""
    missing: str = ""
    """The reason why it is not made."""
    definition: str = ""
    """A digest of what is drawn: the figure's keys and its experiment, apart from its seeds."""

    @property
    def state(self) -> State:
        """Its state: as its authors define it, deviating, not made, an addition, or without results."""
        if self.shows != "results":
            return State(self.shows)
        if self.own:
            return State.ADDED
        if self.missing:
            return State.NOT_MADE
        return State.DEVIATING if self.deviates else State.DEFINED

    @property
    def remark(self) -> str:
        """Its deviation, the reason why it is not made, or the place of its content if it has no results."""
        return self.deviates or self.missing or self.see

    def value(self, row: str, column: str | None) -> float | None:
        """Return the paper's value in a cell, if it is known."""
        found = self.printed.get(row)
        if isinstance(found, dict):
            found = found.get(column or "")
        return None if found is None else float(found)


@dataclass(frozen=True)
class Headline:
    """A main claim of a paper: in a sentence, the claims that make it up, and what explains the result."""

    says: str
    """With the source's numbers as places that `tworay.papers.filling` fills, such as ``{F24 paper}``."""
    claims: tuple[str, ...]
    """The first stands for the headline."""
    because: str = ""


@dataclass(frozen=True)
class Trial:
    """An experiment of a paper: its document, the changes of ``--quick``, and the settings left open."""

    id: str
    document: dict[str, Any]
    quick: dict[str, Any]
    open: dict[str, dict[str, dict[str, Any]]]
    derive: str | None
    title: str
    reading_seeds: int
    """Number of seeds of other readings and of the standard dialect."""
    decides: str = ""
    """The reading that decides: the settings whose verdicts count."""
    stated: str = ""
    """The sentence of the source that states these settings."""
    because: str = ""
    """The cause of differences from the source, for claims that have none of their own."""
    variants: dict[str, str] = field(default_factory=dict)
    """By label: the variant that the source states, where it is not the label itself."""
    planned: bool = True
    """False if the source states the number of runs: then the experiment's own seeds run, without a pilot."""
    least_seeds: int = 0
    """Number of runs that the source states, where a pilot may ask for more."""


@dataclass(frozen=True)
class Paper:
    """A paper with its experiments, figures and claims."""

    key: str
    name: str
    title: str
    cite: str
    stated: tuple[str, ...]
    left_open: tuple[str, ...]
    trials: dict[str, Trial]
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    notes: str
    headlines: tuple[Headline, ...] = ()
    axes: dict[str, str] = field(default_factory=dict)
    """Titles of the experiments' axes in drawings, with their units."""
    study: bool = False
    """True if it is a study of this project, which is not counted among the papers."""
    short: str = ""
    """Its results in a few sentences, with places for numbers (`filling`)."""

    def figure(self, wanted: str) -> Figure:
        """Return the figure with this number.

        Raises:
            InputError: there is none.

        """
        return self.numbered(wanted)[0]

    def numbered(self, wanted: str) -> list[Figure]:
        """Return the figure or table with this number, or all parts of one that has parts: 3.8 is 3.8a and b.

        A part of one that is drawn as a whole, such as 4.5(c), is the whole.

        Raises:
            InputError: there is none.

        """
        number = parsed(wanted)
        exact = [
            one
            for one in self.figures
            if one.id.lower() == wanted.lower() or (number is not None and parsed(one.id) == number)
        ]
        parts = [one for one in self.figures if same(one.id, wanted) and not one.own]
        wholes = [one for one in self.figures if in_one(one.id, wanted) and not one.own]
        if exact or parts or wholes:
            return exact or parts or wholes
        near = nearest(wanted, [one.id for one in self.figures], [one.id for one in self.claims])
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise InputError(
            f"{self.name} has no figure, table or claim {wanted}; {hint}`tworay reproduce {self.name} "
            "--list` lists them"
        )

    def claim(self, wanted: str) -> Claim | None:
        """Return the claim with this id, or ``None``."""
        return next((one for one in self.claims if one.id == wanted), None)

    def headline(self, wanted: str) -> Headline | None:
        """Return the headline with this number, such as ``H2``, or ``None``."""
        number = wanted.removeprefix("H")
        there = wanted.startswith("H") and number.isdecimal() and 1 <= int(number) <= len(self.headlines)
        return self.headlines[int(number) - 1] if there else None

    def claims_of(self, trials: set[str]) -> list[Claim]:
        """Return the claims that are judged on these experiments alone."""
        return [claim for claim in self.claims if claim.experiments and trials.issuperset(claim.experiments)]


def papers() -> list[Paper]:
    """Return all papers by year, then the studies of this project."""
    return sorted(
        (read(file.parent) for file in HERE.glob("*/paper.toml")), key=lambda p: (p.study, p.key[-4:], p.key)
    )


def find(wanted: str) -> Paper:
    """Return the paper with this short name or key.

    Raises:
        InputError: there is none.

    """
    known = papers()
    for paper in known:
        if wanted in (paper.name, paper.key):
            return paper
    from tworay import _native

    names = [paper.name for paper in known]
    near = _native.nearest(wanted, names)
    hint = f"did you mean {near}? " if near else ""
    raise InputError(f"there is no paper `{wanted}`; {hint}Allowed: {', '.join(names)}")


@functools.cache
def read(folder: Path) -> Paper:
    """Read the directory of a paper. It belongs to the package, so errors in it are not handled."""
    head = _toml(folder / "paper.toml")
    trials = {}
    for file in sorted(folder.glob("experiments*.toml")):
        for name, table in _toml(file).items():
            trials[name] = _trial(folder.name, name, _with_files(table, folder))
    figures = [
        _figure(
            _with_errors(entry, folder), head.get("axes", {}), trials, study=bool(head.get("study", False))
        )
        for entry in head.pop("figure", [])
    ]
    claims = [
        _claim(_with_errors(entry, folder))
        for file in sorted(folder.glob("claims*.toml"))
        for entry in _toml(file)["claim"]
    ]
    notes = [file.read_text(encoding="utf-8").strip() for file in sorted(folder.glob("notes*.md"))]
    return Paper(
        key=folder.name,
        name=head["name"],
        title=head["title"],
        cite=head["cite"],
        stated=tuple(head.get("stated", ())),
        left_open=tuple(head.get("open", ())),
        trials=trials,
        figures=tuple(figures),
        claims=tuple(claims),
        headlines=tuple(
            Headline(one["says"], tuple(one["claims"]), one.get("because", ""))
            for one in head.get("headline", [])
        ),
        axes=dict(head.get("axes", {})),
        study=bool(head.get("study", False)),
        short=" ".join(head.get("short", "").split()),
        notes="\n\n".join(notes),
    )


def _with_errors(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return an entry with the relative errors of measured costs, which are in a file by situation."""
    if "errors" not in entry:
        return entry
    name, _, situation = entry["errors"].partition(":")
    with (folder / name).open(encoding="utf-8", newline="") as text:
        rows = [row for row in csv.DictReader(text) if row["situation"] == situation]
    found = {row["variant"]: float(row["half_width"]) / float(row["us_per_segment"]) for row in rows}
    return entry | {"errors": found}


def _figure(entry: dict[str, Any], axes: dict[str, str], trials: dict[str, Trial], *, study: bool) -> Figure:
    titles = {"x": axes.get(entry.get("rows", ""), ""), "legend": axes.get(entry.get("cols", ""), "")}
    entry = titles | {"own": study} | entry
    entry["definition"] = _digest(entry, trials.get(entry.get("experiment", "")))
    entry["axes"] = axes
    if "columns" in entry:
        entry["columns"] = tuple(entry["columns"])
    if "window" in entry:
        low, high = entry["window"]
        entry["window"] = (float(low), float(high))
    return Figure(**entry)


def _digest(entry: dict[str, Any], trial: Trial | None) -> str:
    """Return a short digest of what a figure shows, without words about it and without numbers of seeds."""
    drawn = {key: value for key, value in entry.items() if key not in ABOUT}
    runs = {k: v for k, v in trial.document.items() if k not in ("seeds", "about")} if trial else {}
    text = json.dumps([drawn, runs], sort_keys=True, default=str).replace(str(HERE), "")
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _toml(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _with_files(value: Any, folder: Path) -> Any:
    """Return a table of an experiment with the whole paths of tables of costs, which are beside the paper."""
    if isinstance(value, dict):
        return {
            key: str(folder / one) if key == COSTS and one else _with_files(one, folder)
            for key, one in value.items()
        }
    return value


def _trial(paper: str, name: str, table: dict[str, Any]) -> Trial:
    table = dict(table)
    quick, open_ = table.pop("quick", {}), table.pop("open", {})
    derive, title = table.pop("derive", None), table.pop("title", name)
    # All five papers used ns-2: judge each claim in the standard dialect as well.
    if DIALECT in table.get("set", {}):
        open_ = {"dialect": {"standard": {DIALECT: "standard"}}} | open_
    seeds = table.pop("reading_seeds", READING_SEEDS)
    decides, stated = table.pop("decides", ""), table.pop("stated", "")
    because = table.pop("because", "")
    variants = table.pop("variants", {})
    planned, least = table.pop("planned", True), table.pop("least_seeds", 0)
    return Trial(
        name,
        {"name": f"{paper}-{name}", "about": title} | table,
        quick,
        open_,
        derive,
        title,
        seeds,
        decides,
        stated,
        because,
        variants,
        planned,
        least,
    )


def _claim(entry: dict[str, Any]) -> Claim:
    entry = dict(entry)
    fixed = {key: entry.pop(key) for key in ("id", "source", "says")}
    fixed |= {key: entry.pop(key) for key in OPTIONAL if key in entry}
    if sum(kind in entry for kind in KINDS) != 1:
        raise ValueError(f"claim {fixed['id']}: exactly one of {', '.join(KINDS)} is needed")
    if "value" in entry and (digit := last_digit(fixed.get("paper", ""), entry.get("band"))):
        entry["digit"] = digit
    return Claim(how=entry, **fixed)
