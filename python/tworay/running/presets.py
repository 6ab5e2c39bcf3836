"""Preset files: variants with the parameters that ``tworay tune`` found, named in scenarios and ``--tcp``."""

from __future__ import annotations

from pathlib import Path

from tworay.errors import InputError

ENDING = ".toml"


def is_preset(name: object) -> bool:
    """Return whether a name is a preset file such as ``best.toml``."""
    return isinstance(name, str) and name.endswith(ENDING)


def read_preset(path: str | Path) -> str:
    """Return the variant that a preset file names, such as ``newreno+sca(n=23)``."""
    import tomllib

    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8")).get("variant")
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such preset; `tworay tune VARIANT SCENARIO --out {path}` makes one"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error
    if not isinstance(found, str):
        raise InputError(f'{path}: found no variant; a preset has a line variant = "newreno+sca(n=10)"')
    return found


def named(text: str, folder: Path, settings: list[str]) -> list[str]:
    """Return settings that replace the presets named in a scenario or its settings by their variants.

    Presets in a scenario are relative to its file, those in settings to the working directory.
    """
    settings = [_resolved(setting) for setting in settings]
    if ENDING not in text:
        return settings
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return settings  # The scenario's reader reports the error.
    keys = {setting.partition("=")[0].strip() for setting in settings}
    found = {}
    tcp = document.get("tcp")
    if isinstance(tcp, dict):
        found["tcp.variant"] = tcp.get("variant")
    flows = document.get("flow")
    for i, flow in enumerate(flows if isinstance(flows, list) else []):
        if isinstance(flow, dict):
            found[f"flow.{i}.tcp"] = flow.get("tcp")
    presets = {key: name for key, name in found.items() if is_preset(name) and key not in keys}
    return settings + [f'{key}="{read_preset(folder / str(name))}"' for key, name in presets.items()]


def _resolved(setting: str) -> str:
    key, _, value = setting.partition("=")
    name = value.strip().strip("\"'")
    variant = key.strip() == "tcp.variant" or (key.startswith("flow.") and key.strip().endswith(".tcp"))
    return f'{key}="{read_preset(name)}"' if variant and is_preset(name) else setting
