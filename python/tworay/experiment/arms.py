"""The arms of a comparison: TCP variants, values of settings, mixtures, and their combinations.

An arm is one way to run the scenario. All arms of a comparison use the same seeds, so they are compared
seed by seed.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tworay.errors import InputError, RunError, ScenarioError
from tworay.experiment.axes import refuse_blanks
from tworay.experiment.lengths import with_remedy
from tworay.experiment.mixing import Mix, load_classes, parse_mixes
from tworay.running.control import controller_in, is_kernel, is_reference, load_class, name_of
from tworay.running.scenarios import load, overrides, with_variant
from tworay.running.spec import parse_arms
from tworay.running.switching import numbers, switched_off
from tworay.virtual import cache
from tworay.virtual.arms import check_carried, check_routable
from tworay.virtual.controllers import controller_of
from tworay.virtual.daemons import KEY as ROUTING
from tworay.virtual.daemons import Daemon, daemon_of, daemons_beside, routed, simulated
from tworay.virtual.daemons import load as load_daemon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tworay.running.control import Variant
    from tworay.running.scenarios import Path, Scenario, Source
    from tworay.running.spec import Variants

Settings: TypeAlias = "tuple[tuple[str, str], ...]"
Vary: TypeAlias = "str | Iterable[str] | Mapping[str, object]"

# 64 arms have 2016 pairs, and each is tested in every metric: more than anybody reads.
MAX_ARMS = 64
# Tables of the scenario that don't affect positions or links.
WITHOUT_PLACE = ("mac", "routing", "tcp", "energy", "errors")


@dataclass(frozen=True)
class Arm:
    """One way to run the scenario, with its name in results."""

    name: str
    world: Scenario | None = field(compare=False, repr=False)
    tcp: str | None = None
    settings: Settings = ()
    mix: Mix | None = None
    label: str | None = None
    """The user's name for the variant, if it has one."""
    built: str | None = None
    """Name of the kernel that sends the TCP flows, if one does."""
    words: Settings = ()
    """The user's labels for values of its settings, by key."""
    daemon: Daemon | None = field(default=None, compare=False, repr=False)
    """The daemon that routes in that kernel; ``None``: the scenario's protocol."""

    @property
    def scenario(self) -> Scenario:
        """The scenario, of a mixture without its variants."""
        if self.world is None:
            raise RunError(f"{self.name}: only the results of this arm are there, not its scenario")
        return self.world

    @property
    def sender(self) -> str:
        """The name of the variant in results: its label if it has one."""
        return self.label or self.tcp or ""

    @property
    def kernel(self) -> str | None:
        """The controller of that kernel."""
        return controller_in(self.tcp) if self.tcp is not None and is_kernel(self.tcp) else None

    @property
    def place(self) -> str:
        """Return a name for what decides positions and links: arms with equal names have equal paths."""
        return label(pair for pair in self.settings if pair[0].split(".")[0] not in WITHOUT_PLACE)

    def numbers(self, fixed: list[str]) -> tuple[int, ...] | None:
        """Return the numbers of its flows if some are switched off; ``fixed`` holds for all arms."""
        return numbers([*fixed, *(f"{key}={value}" for key, value in self.settings)], self.scenario.flows)

    def describe(self) -> dict[str, Any]:
        """Return the description of the arm in documents and result directories."""
        mix = {"mix": self.mix.shares} if self.mix else {}
        label = {"label": self.label} if self.label else {}
        kernel = {"kernel": self.built} if self.built else {}
        daemon = {"daemon": self.daemon.digest} if self.daemon else {}
        words = {"labels": dict(self.words)} if self.words else {}
        return {"tcp": self.tcp, "set": dict(self.settings)} | mix | label | kernel | daemon | words

    @classmethod
    def stored(cls, name: str, description: dict[str, Any]) -> Arm:
        """Create the arm from its description, without its scenario."""
        shares = description.get("mix")
        settings = tuple(description["set"].items())
        mix = Mix(shares) if shares else None
        label, kernel = description.get("label"), description.get("kernel")
        routing = daemon_of(settings)
        daemon = None if routing is None else Daemon(routing.partition(":")[0], "", description["daemon"])
        words = tuple(description.get("labels", {}).items())
        return cls(name, None, description["tcp"], settings, mix, label, kernel, words, daemon)


@dataclass(frozen=True)
class Sender:
    """A variant to compare: its name in results, the variant as the user wrote it, and what runs."""

    name: str
    tcp: str
    variant: Variant


@dataclass(frozen=True)
class Field:
    """The arms of a comparison, and their scenarios without a TCP variant."""

    base: Scenario = field(repr=False)
    arms: list[Arm]
    worlds: dict[Settings, Scenario] = field(repr=False)
    classes: dict[str, Variant] = field(repr=False)
    fixed: list[str] = field(default_factory=list, repr=False)
    """Settings of all arms."""

    @property
    def names(self) -> list[str]:
        """Names of the arms."""
        return [arm.name for arm in self.arms]

    def flows(self, place: str) -> tuple[int, ...] | None:
        """Return the numbers of the flows of a place if some are switched off."""
        return next(arm.numbers(self.fixed) for arm in self.arms if arm.place == place)

    def places(self) -> dict[str, Scenario]:
        """Return one scenario per place."""
        found: dict[str, Scenario] = {}
        for arm in self.arms:
            found.setdefault(arm.place, self.worlds[arm.settings])
        return found


def label(settings: Iterable[tuple[str, str]]) -> str:
    """Write settings in the form used in results: ``mac.rts_threshold=0B routing.protocol=dsr``."""
    return " ".join(f"{key}={value}" for key, value in settings)


def parse_vary(vary: Vary | None) -> list[tuple[str, list[str]]]:
    """Turn ``"mac.rts_threshold=0B,3000B"``, a list of such texts, or a mapping into keys with values.

    In a mapping, values are a list, or a mapping of labels to them; in a text ``plain=0B`` is a label.
    """
    axes = [(key, [value for _, value in entries]) for key, entries in _varied_values(vary)]
    keys = [key for key, _ in axes]
    for position, (key, values) in enumerate(axes):
        if key in keys[:position]:
            raise InputError(f"--vary {key}: the key is given twice; write all its values in one --vary")
        for at, value in enumerate(values):
            if value in values[:at]:
                raise InputError(f"--vary {key}: `{value}` is given twice; leave one out")
    return axes


def labels_of(vary: Vary | None) -> dict[tuple[str, str], str]:
    """Return the labels of varied values, such as ``{"mac.rts_threshold": {"plain": "0B"}}``."""
    found: dict[tuple[str, str], str] = {}
    for key, entries in _varied_values(vary):
        for word, value in entries:
            if word is None:
                continue
            if not isinstance(word, str) or not word.strip() or set(word) & set(",=\n"):
                raise InputError(f"--vary {key}: {word!r} is no label; write words without commas and `=`")
            refuse_blanks(f"--vary {key}", word)
            found[key, value] = word
    return found


def _varied_values(vary: Vary | None) -> list[tuple[str, list[tuple[str | None, str]]]]:
    """Return the values of each varied key with their labels, where they have one."""
    if vary is None:
        return []
    if hasattr(vary, "items"):
        return [(str(key), _values(key, values)) for key, values in vary.items()]
    return [_axis(text) for text in ([vary] if isinstance(vary, str) else vary)]


def with_routing(axes: list[tuple[str, list[str]]], routing: str | None) -> list[tuple[str, list[str]]]:
    """Add the axis that ``--routing aodv,babeld`` stands for."""
    if routing is None:
        return axes
    if any(key == ROUTING for key, _ in axes):
        raise InputError(f"--routing and --vary {ROUTING}: the key is given twice; leave one of them out")
    values = [part.strip() for part in routing.split(",")]
    for at, value in enumerate(values):
        if not value or value in values[:at]:
            raise InputError(
                f"--routing {routing}: write different protocols, such as aodv,babeld,batman-adv"
            )
    return [*axes, (ROUTING, values)]


def _axis(text: str) -> tuple[str, list[tuple[str | None, str]]]:
    key, equals, values = text.partition("=")
    # Commas within quotes and brackets belong to a value: topology.positions=[[0,0],[200,0]].
    parts = [part.strip() for part in split_list(values)]
    if not equals or not key.strip() or not all(parts):
        raise InputError(
            f"--vary {text}: write KEY=VALUE,VALUE,... such as --vary routing.protocol=aodv,dsr,olsr, with "
            "labels KEY=LABEL=VALUE,..."
        )
    return key.strip(), [_labelled(part) for part in parts]


def _labelled(part: str) -> tuple[str | None, str]:
    """Split ``plain=0B``; what stands in brackets or quotation marks is a value: ``sca(n=10)``."""
    word, equals, value = part.partition("=")
    if not equals or set(word) & set("([{\"'/"):
        return None, part
    if not value.strip():
        raise InputError(f"--vary: `{part}` is a label without a value; write {part}VALUE")
    return word.strip(), value.strip()


def _values(key: object, values: object) -> list[tuple[str | None, str]]:
    words = list(values.keys()) if hasattr(values, "keys") else None
    values = values.values() if hasattr(values, "values") else values
    several = [values] if isinstance(values, str) or not hasattr(values, "__iter__") else list(values)
    if not several:
        raise InputError(f"--vary: `{key}` has no values; give a list such as {{'{key}': ['a', 'b']}}")
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in several]
    return list(zip([None] * len(texts) if words is None else words, texts, strict=True))


def split_list(text: str) -> list[str]:
    """Split at commas outside quotes and brackets."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
        if character == "," and not quote and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def line_up(
    scenario: Source,
    *,
    tcp: Variants | None,
    vary: Vary | None = None,
    routing: str | None = None,
    mix: str | Iterable[str] | None = None,
    set: Mapping[str, object] | Iterable[str] | str | None = None,
    costs: Path | None = None,
    earlier: Iterable[Arm] = (),
) -> Field:
    """Create the arms: every variant and mixture with every combination of varied settings.

    ``earlier`` are the arms of the comparison that is resumed; they come first. Raises ``InputError``
    or ``ScenarioError`` before anything runs.
    """
    axes, earlier = with_routing(parse_vary(vary), routing), list(earlier)
    senders = {} if tcp is None else _senders(parse_arms(tcp), earlier)
    mixes = parse_mixes(mix, labels=[name for name, one in senders.items() if name != one.tcp])
    if not (senders or axes or mixes or earlier):
        raise InputError("nothing to compare; name variants (--tcp), settings (--vary) or mixtures (--mix)")
    for sender in senders.values():
        if is_kernel(sender.tcp):
            controller_of(sender.tcp)
    # A mixture is compared with its unmixed cases.
    for name in (name for one in mixes for name in one.shares):
        if name not in [sender.tcp for sender in senders.values()]:
            senders[name] = Sender(name, name, name)
    combinations: list[Settings] = []
    if senders or axes or mixes:
        combinations = list(itertools.product(*([(key, value) for value in values] for key, values in axes)))
    number = len(earlier) + len(combinations) * max(1, len(senders) + len(mixes))
    if number > MAX_ARMS:
        raise InputError(f"{number} arms asked for; allowed are up to {MAX_ARMS}: vary less at a time")
    base = overrides(set)
    if switched_off(base) and any(key.startswith("flow.") for key, _ in axes):
        switch = f"flow.{switched_off(base)[0]}=off"
        raise InputError(
            f"--set {switch}: --vary changes flows, too, and numbers them by the whole scenario; write "
            f"--vary {switch}"
        )
    combined = dict.fromkeys([*(arm.settings for arm in earlier), *combinations])
    if any(combined) and not isinstance(scenario, str) and not hasattr(scenario, "__fspath__"):
        raise ScenarioError("`vary` needs a scenario's name or path; this one is already loaded")
    plain = load(scenario, set=base or None, costs=costs)
    worlds = {
        settings: _varied(scenario, base, known, costs) if (known := simulated(settings)) else plain
        for settings in combined
    }
    senders = {name: replace(one, variant=_loaded(one.variant)) for name, one in senders.items()}
    classes = {name: one.variant for name, one in senders.items()}
    for old in earlier:
        if old.tcp and old.sender not in classes:
            classes[old.sender] = _loaded(old.tcp)
    arms = {arm.name: arm for arm in (_again(old, worlds[old.settings], classes) for old in earlier)}
    for settings in combinations:
        for arm in _arms(worlds[settings], settings, list(senders.values()), mixes, labels_of(vary)):
            same = arms.setdefault(arm.name, arm)
            if (same.settings, same.sender) != (arm.settings, arm.sender):
                raise InputError(f"two arms are called `{arm.name}`; choose other labels")
    _refuse_twins(list(arms.values()))
    return Field(plain, list(arms.values()), worlds, classes, base)


def _varied(scenario: Source, base: list[str], known: list[tuple[str, str]], costs: Path | None) -> Scenario:
    """Load the scenario with varied settings. The rest has been loaded: what is wrong is --vary's."""
    try:
        return load(scenario, set=[*base, *(f"{key}={value}" for key, value in known)], costs=costs)
    except ScenarioError as error:
        problem = re.sub("^--set:", "--vary:", str(error)) + daemons_beside(known)
        raise ScenarioError(with_remedy(problem, [key for key, _ in known])) from None


def _senders(variants: Mapping[str, Variant], earlier: Iterable[Arm]) -> dict[str, Sender]:
    """Return the variants with their names; a label of the comparison that is resumed keeps its variant."""
    for old in earlier:
        new = variants.get(old.label) if old.label else None
        if new is not None and name_of(new) != old.tcp:
            raise InputError(
                f"--tcp {old.label}={name_of(new)}: the comparison that is resumed calls {old.tcp} "
                f"`{old.label}`; choose another label"
            )
    return {name: Sender(name, name_of(variant), variant) for name, variant in variants.items()}


def _again(old: Arm, world: Scenario, classes: Mapping[str, Variant]) -> Arm:
    """Load the scenario of an arm of an earlier comparison."""
    if old.mix:
        mix = Mix(old.mix.shares, load_classes(old.mix.shares))
        mix.check(world)
        return replace(old, world=world, mix=mix)
    if old.built is not None and old.built != cache.kernel().name:
        raise InputError(
            f"{old.name} was run by the kernel {old.built}, and this one is {cache.kernel().name}; start a "
            "new comparison with --out"
        )
    if old.daemon is not None:
        daemon = load_daemon(str(daemon_of(old.settings)))
        if daemon.digest != old.daemon.digest:
            raise InputError(
                f"{old.name} was run by another version of {daemon.name} or of its script; start a new "
                "comparison with --out"
            )
        return replace(old, world=world, daemon=daemon)
    if old.kernel is not None:
        check_carried(world, str(old.tcp))
    if old.tcp is None or old.kernel is not None:
        return replace(old, world=world)
    return replace(old, world=with_variant(world, classes[old.sender], name=old.sender))


def _loaded(variant: Variant) -> Variant:
    """Load a class of a file once, so that all arms run the same one."""
    return load_class(variant) if isinstance(variant, str) and is_reference(variant) else variant


def _arms(
    world: Scenario,
    settings: Settings,
    senders: list[Sender],
    mixes: list[Mix],
    labels: Mapping[tuple[str, str], str],
) -> Iterator[Arm]:
    words = tuple((pair[0], labels[pair]) for pair in settings if pair in labels)
    suffix = [labels.get(pair, label([pair])) for pair in settings]
    routing, daemon = daemon_of(settings), None
    if routing is not None:
        kernels = bool(senders) and not mixes and all(is_kernel(one.variant) for one in senders)
        daemon = routed(routing, kernel=kernels)
        check_routable(world, daemon.name)
    if not senders:
        yield Arm(" ".join(suffix), world, None, settings, words=words)
    for one in senders:
        kernel = is_kernel(one.variant)
        if kernel:
            check_carried(world, one.tcp)
        sender = world if kernel else with_variant(world, one.variant, name=one.name)
        built = cache.kernel().name if kernel else None
        called = None if one.name == one.tcp else one.name
        name = " ".join([one.name, *suffix])
        yield Arm(name, sender, one.tcp, settings, label=called, built=built, words=words, daemon=daemon)
    for mix in mixes:
        mix.check(world)
        yield Arm(" ".join([mix.name, *suffix]), world, None, settings, mix, words=words)


def _refuse_twins(arms: list[Arm]) -> None:
    """Reject arms with the same scenario: one would be compared with itself."""
    seen: dict[object, str] = {}
    for arm in arms:
        if arm.mix or arm.world is None:
            continue
        same = arm.name
        if arm.tcp and (is_reference(arm.tcp) or arm.kernel):
            # Classes have their labels in the scenario's text; kernels don't stand in it.
            same = seen.setdefault((arm.tcp, arm.settings), arm.name)
        if same == arm.name and not arm.kernel:
            same = seen.setdefault(arm.world.to_toml(), arm.name)
        if same != arm.name:
            raise InputError(f"`{same}` and `{arm.name}` are the same scenario; leave one of them out")
