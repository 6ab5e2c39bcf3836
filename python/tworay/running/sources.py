"""Source files of Python variants: found for scenarios, and kept with results.

A scenario may say ``variant = "mine.py:Mine"`` in ``[tcp]``, or ``tcp = "mine.py:Mine"`` in a flow; the file
is looked up beside the scenario. Results keep the file, with the modules beside it that it imports, so that
their ``scenario.toml`` can be run again.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.running.control import is_reference, load_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tworay._native import Scenario

DEFAULT = "newreno"
# Placeholder in the scenario's text until the class is loaded.
STAND_IN = f'"{DEFAULT}"'


@dataclass(frozen=True)
class Named:
    """The classes that a scenario's text and settings name."""

    default: str | None
    """Class of flows that choose none."""
    flows: list[str | None]
    """The choice of each TCP flow: a class, another variant, or nothing."""
    folders: tuple[Path, Path]
    """Where the default's file is looked up, and where those of flows are."""
    settings: list[str]
    """Settings that put a built-in variant in the place of each class."""

    def apply(self, scenario: Scenario) -> Scenario:
        """Give the classes to their flows."""
        places = [(name, self.folders[name is not None]) for name in self.flows]
        chosen = [(name or self.default or DEFAULT, folder) for name, folder in places]
        classes = {one: load_class(str(one[1] / one[0])) for one in set(chosen) if is_reference(one[0])}
        if self.default is not None and not any(self.flows) and classes:
            (found,) = classes.values()
            return scenario.with_custom_variant(self.default, found.recovery, found)
        return scenario.with_flow_variants(
            [(one[0], classes[one].recovery, classes[one]) if one in classes else one[0] for one in chosen]
        )


def named(text: str, folder: Path, settings: Iterable[str]) -> Named | None:
    """Find the classes that a scenario's text or its settings name; ``None``: there are none."""
    settings = list(settings)
    if not any(is_reference(part) for part in (text, *settings)):
        return None
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        # The scenario's own reader says what is wrong.
        return None
    default, default_folder = _table(document.get("tcp")).get("variant"), folder
    for setting in settings:
        key, _, value = setting.partition("=")
        if key.strip() == "tcp.variant":
            default, default_folder = value.strip().strip("\"'"), Path()
    flows = document.get("flow")
    tables = [_table(flow) for flow in flows] if isinstance(flows, list) else []
    stand_ins = [f"flow.{i}.tcp={STAND_IN}" for i, flow in enumerate(tables) if _is_class(flow.get("tcp"))]
    chosen = [flow.get("tcp") for flow in tables if flow.get("app", "ftp") == "ftp"]
    if not (_is_class(default) or stand_ins):
        return None
    if _is_class(default):
        stand_ins.append(f"tcp.variant={STAND_IN}")
    return Named(default, chosen, (default_folder, folder), stand_ins)


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_class(name: object) -> bool:
    return isinstance(name, str) and is_reference(name)


def kept(classes: Iterable[tuple[str, type]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the name of each class in results, and the files to keep with the results.

    Classes without a file, from a notebook or a shell, are skipped.
    """
    names: dict[str, str] = {}
    files: dict[str, str] = {}
    for name, chosen in classes:
        found = _files(chosen)
        if found is None:
            continue
        main, texts = found
        folder, number = "", 1
        # Files with equal names from two directories: the later ones get their own folder.
        while any(files.get(folder + path, text) != text for path, text in texts.items()):
            number += 1
            folder = f"{Path(main).stem}-{number}/"
        files |= {folder + path: text for path, text in texts.items()}
        names[name] = f"{folder}{main}:{chosen.__name__}"
    return names, files


def _files(chosen: type) -> tuple[str, dict[str, str]] | None:
    """Return the name of a class's file, and the texts of it and of the files beside it that it imports."""
    module = sys.modules.get(chosen.__module__)
    if getattr(module, chosen.__name__, None) is not chosen:
        return None
    try:
        file = Path(inspect.getsourcefile(chosen) or "").resolve(strict=True)
        texts = {file.name: file.read_text(encoding="utf-8")}
    except (OSError, TypeError, UnicodeDecodeError):
        return None
    from modulefinder import ModuleFinder

    finder = ModuleFinder(path=[str(file.parent)])
    try:
        finder.run_script(str(file))
    except (SyntaxError, OSError):
        return file.name, texts
    for module_file in (getattr(found, "__file__", None) for found in finder.modules.values()):
        path = Path(module_file or "").resolve()
        if path.suffix == ".py" and path.is_relative_to(file.parent):
            texts[path.relative_to(file.parent).as_posix()] = path.read_text(encoding="utf-8")
    return file.name, texts
