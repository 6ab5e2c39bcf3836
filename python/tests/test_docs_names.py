"""Commands, options, scenario keys, Python names and make targets that the pages name exist."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path

import pytest
from program import program

from studies.peers.__main__ import _parser

ROOT = Path(__file__).parents[2]
# The changelog and decisions also name what was replaced.
PAGES = [
    page
    for page in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
    if page.name != "CHANGELOG.md" and "decisions" not in page.parts
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"(?:sudo )?(?:\.venv/bin/)?tworay (.*)")
TABLES = "mac|tcp|radio|routing|energy|station|wire|wire_kind|topology|mobility|errors"
KEY = re.compile(rf"((?:{TABLES})(?:\.[A-Za-z0-9_-]+)+)(?: ?=.*)?")
ids = [str(page.relative_to(ROOT)) for page in PAGES]


def code(page: Path) -> tuple[list[str], list[str]]:
    """Return a page's lines of commands and its spans of code."""
    text = page.read_text(encoding="utf-8")
    shells = [block.replace("\\\n", " ") for language, block in BLOCK.findall(text) if language in ("", "sh")]
    lines = [line for shell in shells for line in shell.splitlines()]
    spans = SPAN.findall(BLOCK.sub("", text))
    return [part.strip() for line in lines for part in line.split(" #")[0].split("; ")], spans


def commands(page: Path) -> list[list[str]]:
    """Return the words after ``tworay`` of every command that a page names."""
    lines, spans = code(page)
    # A line may have two commands, the second one after the first.
    single = (part for text in (*lines, *spans) for part in text.split(" && "))
    found = (COMMAND.fullmatch(text) for text in single)
    texts = [match[1].partition(" > ")[0].partition(" -- ")[0] for match in found if match]
    return [text.split() if text.count('"') % 2 else shlex.split(text) for text in texts]


def unknown(words: list[str]) -> list[str]:
    """Return the command or options of a line that do not exist."""
    command = program()
    place = 0
    while place < len(words) and words[place] in getattr(command, "commands", {}):
        command = command.commands[words[place]]
        place += 1
    rest = words[place:]
    if hasattr(command, "commands"):
        return [word for word in rest[:1] if re.fullmatch(r"[a-z]+", word)]
    known = {"-h", "--help"} | {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    options = [word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)]
    return [option for option in options if option not in known]


def keys_of_the_reference() -> set[str]:
    text = (ROOT / "docs/reference/scenario.md").read_text(encoding="utf-8")
    return {key.replace("[]", "") for key in re.findall(r"^\| `([\w.\[\]-]+)`", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_commands_and_options_exist(page: Path) -> None:
    wrong = {" ".join(words): found for words in commands(page) if (found := unknown(words))}
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_scenario_keys_exist(page: Path) -> None:
    known = keys_of_the_reference()
    metrics = (ROOT / "docs/reference/metrics.md").read_text(encoding="utf-8")
    lines, spans = code(page)
    named = {match[1] for span in spans if (match := KEY.fullmatch(span))}
    named |= set(re.findall(rf"--(?:set|vary) '?((?:{TABLES})\.[\w.-]+)=", " ".join((*lines, *spans))))
    wrong = []
    for name in named:
        # `mac.sent.rts` is a metric, `wire.1.rate` the key of a wire, `wire_kind.sink.rate` of a kind.
        key = re.sub(r"^(wire_kind)\.[^.]+", r"\1.NAME", re.sub(r"\.\d+", "", name))
        is_metric = f"`{name}`" in metrics or f"`{name.rpartition('.')[0]}.*`" in metrics
        if key not in known and not is_metric:
            wrong.append(name)
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_make_targets_exist(page: Path) -> None:
    phony = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    targets = set(" ".join(phony).split())
    lines, spans = code(page)
    named = {match[1] for text in (*lines, *spans) if (match := re.match(r"make ([a-z][a-z-]+)", text))}
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_chapters_and_verbs_of_the_peers_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    usage = _parser().format_usage()
    for verb in re.findall(r"-m studies\.peers ([a-z]+)", text):
        assert verb in re.findall(r"[a-z]+", usage.partition("{")[2]), verb
    chapters = {file.stem for file in (ROOT / "docs/studies/validation").glob("*.md")}
    # One word selects the chapters of today's radios.
    chapters |= {name.partition("-")[0] for name in chapters if name.startswith("air-")}
    named = ",".join(re.findall(r"(?:peers ONLY=|validate --only )([a-z0-9,-]+)", text)).split(",")
    assert set(named) - {""} <= chapters


def test_wrong_names_are_found() -> None:
    assert unknown(["run", "string-2", "--sed", "3"]) == ["--sed"]
    assert unknown(["runn", "string-2"]) == ["runn"]
    assert unknown(["live", "run", "string-2", "--congestion", "reno"]) == []
    assert len(commands(ROOT / "docs/guide/tour.md")) > 20
    assert "mac.rts_threshold" in keys_of_the_reference()


def resolved(name: str) -> object:
    """Return what a dotted name such as ``tworay.analysis.stats.mser_warmup`` stands for."""
    parts = name.split(".")
    found: object = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:i]))
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_names_of_the_package_exist(page: Path) -> None:
    names = set(re.findall(r"`(tworay(?:\.[A-Za-z_]\w*)+)[`(]", page.read_text(encoding="utf-8")))
    for name in sorted(names - {"tworay.json"}):
        assert resolved(name) is not None, name
