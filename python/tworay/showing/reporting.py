"""Render a comparison as text: the verdict first, then its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay import metrics
from tworay.analysis import verdict
from tworay.analysis.factors import choices
from tworay.analysis.stats import FEWEST_PAIRS, SIGNIFICANT
from tworay.showing.armaxis import short_names
from tworay.showing.layout import Column, fact, table
from tworay.showing.rendering import costs_line, guesses, losses, number, warnings
from tworay.showing.text import Group, Text
from tworay.showing.unfinished import TIMES, unfinished

if TYPE_CHECKING:
    from tworay.experiment.comparison import Comparison
    from tworay.showing.text import Renderable

DIM = "dim"


# Columns that a scenario may lack: their beginning, the one that tells, and what to do.
UNCOUNTED = (
    (
        "energy.",
        "energy.joules_total",
        "No energy: the scenario has no energy.model and doesn't count it; add --set energy.model=states.",
    ),
    ("metrics.eee", "metrics.eee", "No EEE: it needs a run with saturating sources; add --resources."),
    ("metrics.uar", "metrics.uar", "No UAR: it needs a run with saturating sources; add --resources."),
)


def comparison_report(
    result: Comparison, *, shown: list[str] | None = None, pairs: bool = False, width: int | None = None
) -> Renderable:
    """Render a comparison: verdict, means with 95 % intervals, causes of loss.

    ``shown`` are the metrics of the table, by default those that the comparison was asked for; ``pairs`` adds
    a table of every pair with its tests.
    """
    shown = result.chosen or None if shown is None else shown
    document = result.summary
    same, heading, names = labels(document["arms"])
    cells = document["variants"]
    rows = [names[name] for name in cells]
    columns = columns_of(result) if shown is None else shown
    blocks: list[list[Renderable]] = [
        [_head(result, document, same), *map(Text, labelled(document["arms"]))],
        [Text(line) for line in conclusion(result, columns, names)],
        _means(heading, rows, document, columns, width),
    ]
    tabled = list(columns)
    if shown is None:
        traffic = (metrics.OF_TRANSFERS, metrics.OF_VIDEO)
        for extra in (*traffic, metrics.OF_AIR, metrics.OF_ENERGY, metrics.OF_RESOURCES):
            if any(_known(of, extra[0]) for of in cells.values()):
                known = [name for name in extra if any(_known(of, name) for of in cells.values())]
                blocks.append(_means(heading, rows, document, known, width))
                tabled += known
    blocks[-1] += _notes(document, tabled)
    times = next((name for name in tabled if name.endswith("transfer_p95_seconds")), None)
    if times and not _is_of_times(columns):
        blocks[-1] += [Text(line, style=DIM) for line in unfinished(result, times, names)]
    blocks += [_mixture(name, found, width) for name, found in document["mixtures"].items()]
    if pairs:
        blocks += [_pairs(document["pairs"], name, names, width) for name in columns]
    blocks.append(losses(rows, list(document["ledger"].values()), width))
    blocks.append(guesses(document["diagnosis"], names, width))
    blocks.append([fact(line, width=width) for line in costs_line(document["costs"])])
    blocks.append(warnings(document))
    parts: list[Renderable] = []
    for block in filter(None, blocks):
        parts += ["", *block] if parts else block
    return Group(*parts)


def _is_of_times(columns: list[str]) -> bool:
    """Return whether the verdict is about times of transfers, and says itself what they leave out."""
    chosen = next((name for name in columns if verdict.has_direction(name)), "")
    return TIMES.match(chosen) is not None


def labels(arms: dict[str, dict[str, Any]]) -> tuple[list[str], str, dict[str, str]]:
    """Return what all arms have in common, what distinguishes them, and a short name for each."""
    parts = {name: choices(about) for name, about in arms.items()}
    apart, short = short_names(parts)
    first: dict[str, str] = next(iter(parts.values()), {})
    same = [value if key == "tcp" else f"{key} = {value}" for key, value in first.items() if key not in apart]
    return same, " ".join(apart), short


def labelled(arms: dict[str, dict[str, Any]]) -> list[str]:
    """Return a line that says what the labels stand for; none without labels."""
    found = {about["label"]: about["tcp"] for about in arms.values() if about.get("label")}
    for about in arms.values():
        found |= {word: f"{key}={about['set'][key]}" for key, word in about.get("labels", {}).items()}
    return [f"{', '.join(f'{name} is {tcp}' for name, tcp in found.items())}."] if found else []


def _head(result: Comparison, document: dict[str, Any], same: list[str]) -> Text:
    facts = [
        about.get("scenario_facts", document["scenario_facts"]) for about in document["arms"].values()
    ] or [document["scenario_facts"]]
    hops = _range([fact["mean_shortest_path_hops"] for fact in facts], 1.0, ".2f")
    parted = _range([fact["partitioned_fraction"] for fact in facts], 100.0, ".1f")
    return Text.assemble(
        (", ".join([document["scenario"], *same]), "bold"),
        f": {' or '.join(f'{seconds:g}' for seconds in result.sim_seconds)} s simulated, "
        f"{seeds_of(document)}; "
        f"shortest path {hops} hops on average, "
        f"no path {parted} % of the time",
    )


def seeds_of(document: dict[str, Any]) -> str:
    """Say how many seeds ran, and how many of them repeat another one."""
    seeds, again = len(document["seeds"]), len(document["repeated_seeds"])
    text = f"{seeds} seed{'s' * (seeds != 1)}"
    return f"{text}, of which {again} repeat{'s' * (again == 1)} another and count once" if again else text


def _range(values: list[float | None], scale: float, form: str) -> str:
    texts = list(dict.fromkeys(number(value, scale, form) for value in values))
    known = sorted(value for value in values if value is not None)
    if len(texts) == 1 or not known:
        return texts[0]
    return f"{number(known[0], scale, form)} to {number(known[-1], scale, form)}"


def conclusion(result: Comparison, columns: list[str], names: dict[str, str]) -> list[str]:
    """Return the verdict about the first metric that is better high or low, in a few lines."""
    document = result.summary
    chosen = next((name for name in columns if verdict.has_direction(name)), None)
    if chosen is None or len(document["variants"]) < 2:
        return []
    found: dict[str, Any] = document["verdict"]
    if found["metric"] != chosen:
        found = verdict.judge(document["variants"], document["pairs"], chosen)
    if not found["best"] and (lacking := _lacking(result, chosen, names)):
        return [lacking, *_whose(result, chosen)]
    if len(found["ranking"]) < 2:
        return []
    unfit = verdict.unfit(document, chosen)
    if unfit is verdict.Unfit.NOTHING_ARRIVED:
        return [f"No verdict: {unfit.value}; `tworay run {document['scenario']}` says why."]
    same = [names[arm] for arm in document["still_arms"]]
    every = "with every seed, because nothing in it is random"
    draw = "--entries 2s draws the flows' start times from the seed."
    if unfit is verdict.Unfit.ALL_THE_SAME:
        return [f"No verdict: {_listed(same)} gave the same run {every}. {draw}", *_whose(result, chosen)]
    alike = result.alike
    equals = {arm: len(arms) - 1 for arms in alike for arm in arms}
    runs = len(document["seeds"]) - len(document["repeated_seeds"])
    lines = [_first_line(found, chosen, names, runs, equals)]
    if same:
        lines.append(f"{same[0]} gave the same run {every}. {draw}")
    together = [_listed([names[arm] for arm in arms]) for arms in alike]
    lines += [f"With every seed, {those} gave the same run." for those in together]
    lines += unfinished(result, chosen, names)
    lines += [*_starved(document, names), *_given_up(result, names), *_whose(result, chosen)]
    groups = {entry["group"] for entry in found["ranking"]}
    if len(found["ranking"]) > 2 and found["best"] and len(groups) > 1:
        ranking = ", ".join(f"{names[entry['arm']]} ({entry['group']})" for entry in found["ranking"])
        lines.append(f"Ranking: {ranking}. Who shares a letter doesn't differ.")
    of_factors = document["factors"] if chosen == document["verdict"]["metric"] else result.factors(chosen)
    return lines + [_of_factor(one) for one in of_factors]


# More arms than this are counted, not listed: who is not told from the best may only be unsteady.
NAMED = 3
# Below these shares of the whole and of Jain's index, a flow starves beside others, however many there are.
STARVED, UNFAIR = 0.01, 0.5
# So many false link failures a run are worth a line; and the causes of losses where links really broke.
GIVEN_UP = 10
BROKEN = ("link-failure", "node-down")


def _lacking(result: Comparison, name: str, names: dict[str, str]) -> str | None:
    """Say which arms have runs without a value of a metric, such as transfers that never ended."""
    cells, again = result.summary["variants"], result.summary["repeated_seeds"]
    runs = {arm: len(result.documents(arm).keys() - again) for arm in names}
    known = {arm: (cells[arm].get(name) or {}).get("n", 0) for arm in names}
    short = [arm for arm in names if known[arm] < runs[arm]]
    if not short:
        return None
    title, _ = metrics.words(name)
    if not any(known.values()):
        return f"No verdict: no run has a value of {title} ({name})."
    counted = _listed([f"{known[arm]} of {runs[arm]} runs of {names[arm]}" for arm in short])
    return f"No verdict: only {counted} have a value of {title}, and arms are compared seed by seed."


def _mean_of(document: dict[str, Any], arm: str, name: str) -> float | None:
    found: float | None = document["variants"].get(arm, {}).get(name, {}).get("mean")
    return found


def _starved(document: dict[str, Any], names: dict[str, str]) -> list[str]:
    """Say with which arms the sum hides a flow that gets next to nothing."""
    arms = []
    for arm, name in names.items():
        if _mean_of(document, arm, "completed_transfers"):
            # Who asks for pages, messages or a film takes no more than that.
            continue
        whole, least = (_mean_of(document, arm, of) for of in ("goodput_bps", "metrics.least_goodput_bps"))
        fair = _mean_of(document, arm, "metrics.jain_fairness")
        if whole and least is not None and fair is not None and least < STARVED * whole and fair < UNFAIR:
            arms.append(name)
    if not arms:
        return []
    share = f"{STARVED * 100:g} %"
    return [f"Flows starve with {_in_words(arms, names)}: the least one gets under {share} of the sum."]


def _given_up(result: Comparison, names: dict[str, str]) -> list[str]:
    """Say with which arms routing gives up neighbours that are in reach, where no link broke."""
    if result.judged_flows < 2:
        return []
    arms = {}
    for arm, name in names.items():
        runs = result.documents(arm).values()
        broken = any(sum(run["ledger"][cause].values()) for run in runs for cause in BROKEN)
        if broken or not result.heeds_link_layer(arm):
            continue
        false = _mean_of(result.summary, arm, "routing.false_link_failures")
        if false is not None and false >= GIVEN_UP:
            arms[name] = false
    if not arms:
        return []
    most = max(arms.values())
    return [
        f"Routing gives up neighbours that are in reach, up to {most:,.0f} times a run, with "
        f"{_in_words(list(arms), names)}: the result may be routing's more than TCP's; "
        "--set routing.protocol=static shows TCP's."
    ]


def _in_words(arms: list[str], names: dict[str, str]) -> str:
    return "every arm" if len(arms) == len(names) else _listed(arms)


def _whose(result: Comparison, metric: str) -> list[str]:
    judged = result.judged_by(metric)
    if judged is None:
        return []
    # A metric of one flow stays that flow's.
    others = "; --judge tcp, udp, all or flow.N,flow.M chooses others" * metrics.follows_judge(metric)
    return [f"Judged: {judged}{others}."]


def _first_line(
    found: dict[str, Any], name: str, names: dict[str, str], runs: int, equals: dict[str, int]
) -> str:
    """Say which arms are best; ``equals``: how many others gave the same runs as an arm."""
    title, _ = metrics.words(name)
    ranking = [entry["arm"] for entry in found["ranking"]]
    best = [names[arm] for arm in found["best"]]
    seeds = found["seeds_to_show"]
    worth = f"one of {verdict.WORTH_SHOWING * 100:g} %"
    would = f"about {seeds:,} seeds would show {worth}" if seeds else ""
    if seeds and seeds <= runs:
        would = f"these seeds would probably have shown {worth}"
    if not best:
        return (
            f"No verdict, too few seeds: it takes {found['seeds_to_tell']} or more to tell differences in "
            f"{title} from chance" + (f"; {would}." if would else ".")
        )
    if len(best) == len(ranking):
        between = f"between {best[0]} and {best[1]}" if len(best) == 2 else f"among {len(best)} arms"
        if found.get("same"):
            return f"No difference in {title} {between}: every seed gave them the same."
        return f"No difference in {title} found {between}" + (f"; {would}." if would else ".")
    if found["margin"]:
        return f"Best in {title}: {best[0]}, {_margin(found, names)}."
    if found.get("same"):
        return f"Best in {title}: {_listed(best)}; every seed gave them the same."
    if len(best) > NAMED:
        rest = len(best) - 1
        others = equals.get(ranking[0], 0)
        beside = f", with {others} equal arm{'s' * (others != 1)}," if others else ""
        line = f"Best in {title}: {names[ranking[0]]}{beside} by its mean; {rest} of the other "
        line += f"{len(ranking) - 1} arms are not told from it by these runs"
    else:
        line = f"Best in {title}: {_listed(best)}, without a difference found between them"
    return line + (f" ({would})." if would else ".")


def _of_factor(found: dict[str, Any]) -> str:
    """Say which level of a factor is best, over the others."""
    levels, best = [entry["arm"] for entry in found["ranking"]], found["best"]
    head = f"By {found['factor']}, averaged over {_listed(found['over'])}: "
    title, _ = metrics.words(found["metric"])
    if not best:
        return f"{head}can't be told with so few seeds."
    if len(best) == len(levels):
        return f"{head}no difference in {title} found among {len(levels)}."
    if not found["margin"]:
        return f"{head}{_listed(best)} are best, without a difference found between them."
    line = f"{head}{best[0]} is best, {_margin(found, {level: level for level in levels})}"
    if found["otherwise"]:
        line += f"; but not with {_listed(found['otherwise'])}"
    return f"{line}."


def _margin(found: dict[str, Any], names: dict[str, str]) -> str:
    """Return by how much the best arm is ahead of the next."""
    margin = found["margin"]
    metric, unit = metrics.find(found["metric"]), metrics.words(found["metric"])[1]
    scale, form = (metric.scale, metric.form) if metric else (1.0, ",.4g")
    difference = abs(margin["difference"])
    half = (margin["ci95"][1] - margin["ci95"][0]) / 2 if margin["ci95"] else None
    second = abs(next(e["mean"] for e in found["ranking"] if e["arm"] == margin["over"]))
    share = f" ({difference / second * 100:.1f} %)" if second else ""
    more = "more" if margin["difference"] > 0 else "less"
    by = f"{number(difference, scale, form)} ± {number(half, scale, form)}{unit and ' '}{unit}{share}"
    return f"by {by} {more} than {names[margin['over']]}"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def columns_of(result: Comparison) -> list[str]:
    """Return the metrics to show for the kinds of flows in the runs."""
    tcp, datagrams = result.kinds_of_flows()
    chosen = list(metrics.SHOWN if tcp else metrics.SHOWN[:1])
    if result.judged_flows > 1:
        chosen[1:1] = metrics.OF_SEVERAL_FLOWS
    if datagrams:
        chosen[1:1] = metrics.OF_BOTH_KINDS if tcp else metrics.OF_DATAGRAMS
    return chosen


def _known(cells: dict[str, Any], metric: str) -> bool:
    return cells.get(metric, {}).get("mean") is not None


def _means(
    heading: str, rows: list[str], document: dict[str, Any], shown: list[str], width: int | None
) -> list[Renderable]:
    return table(heading or "arm", rows, means(document, shown), width)


def means(document: dict[str, Any], shown: list[str]) -> list[Column]:
    """Return the columns of the table of means: one for each metric, with intervals and letters."""
    cells = document["variants"]
    columns = []
    for name in shown:
        family = [pair for pair in document["pairs"] if pair["metric"] == name]
        marks = {}
        if _lettered(family):
            marks = verdict.letters(verdict.ordered(cells, name), family)
        texts = [_mean(of.get(name), name, _runs(of)) for of in cells.values()]
        letters = [marks.get(arm, "") for arm in cells]
        room = max(map(len, letters), default=0)
        if room:
            texts = [f"{text} {letter:{room}}" for text, letter in zip(texts, letters, strict=True)]
        columns.append(Column(metrics.title(name), texts))
    return columns


def _runs(cells: dict[str, Any]) -> int:
    return max((cell["n"] for cell in cells.values()), default=0)


def _mean(cell: dict[str, Any] | None, name: str, runs: int = 0, sign: str = "") -> str:
    if cell is None or cell["mean"] is None:
        return "–"
    metric = metrics.find(name)
    scale, form = (metric.scale, metric.form) if metric else (1.0, ",.4g")
    text = number(cell["mean"], scale, sign + form)
    if cell["ci95"] is not None:
        low, high = cell["ci95"]
        text += f" ± {number((high - low) / 2, scale, form)}"
    # Nodes don't die in every run.
    return f"{text} ({cell['n']} of {runs})" if cell.get("n", runs) < runs else text


def _lettered(family: list[dict[str, Any]]) -> bool:
    """Return whether a metric's arms get letters: some differ, and no pair has too few seeds."""
    undecided = any(verdict.undecided(pair, len(family)) for pair in family)
    return any(map(verdict.differs, family)) and not undecided


def _notes(document: dict[str, Any], shown: list[str]) -> list[Renderable]:
    text = "Means ± 95 % intervals over the seeds."
    families = [[pair for pair in document["pairs"] if pair["metric"] == name] for name in shown]
    if any(map(_lettered, families)):
        text += (
            " In a column with letters, arms that share one don't differ: paired by seed (same world), Holm "
            f"p < {SIGNIFICANT:g}."
        )
    unclear = [
        metrics.words(name)[0]
        for name, family in zip(shown, families, strict=True)
        if any(map(verdict.differs, family)) and not _lettered(family)
    ]
    if unclear:
        text += f" Some pairs have too few seeds to tell: {', '.join(unclear)} (--pairs)."
    cells = document["variants"].values()
    for section, total, remedy in UNCOUNTED:
        if any(name.startswith(section) for name in shown) and not any(_known(of, total) for of in cells):
            text += f" {remedy}"
    return [Text(text, style=DIM)]


def _mixture(name: str, found: dict[str, Any], width: int | None) -> list[Renderable]:
    """Render the results of each variant of a mixture, compared with the same flows in the unmixed cases."""
    variants = list(found)
    columns = [
        Column("flows", [f"{found[v]['flows']} of {found[v]['of']}" for v in variants]),
        Column("share %", [_scaled(found[v]["goodput_share"], 100) for v in variants]),
        Column("kb/s a flow", [_scaled(found[v]["goodput_per_flow_bps"], 1e-3) for v in variants]),
    ]
    for other in variants:
        cells = []
        for variant in variants:
            pair = found[variant]["against_all"].get(other)
            cells.append("–" if pair is None else _against(pair))
        columns.append(Column(f"if all were {other}", cells))
    fair = any(
        verdict.differs(pair) and other == variant
        for variant, about in found.items()
        for other, pair in about["against_all"].items()
    )
    lines = [
        "if all were X: kb/s of the same flows in the same seeds where every flow is X; * differs from the "
        f"mixture (paired, Holm p < {SIGNIFICANT:g})."
    ]
    if not fair and all(about["goodput_share"]["n"] >= FEWEST_PAIRS for about in found.values()):
        lines.insert(0, f"No variant of {name} is found to gain or lose by the others' company.")
    return [*table(f"in {name}", variants, columns, width), *(Text(line, style=DIM) for line in lines)]


def _scaled(cell: dict[str, Any], scale: float) -> str:
    if cell["mean"] is None:
        return "–"
    text = number(cell["mean"], scale, ".1f")
    if cell["ci95"] is None:
        return text
    return f"{text} ± {number((cell['ci95'][1] - cell['ci95'][0]) / 2, scale, '.1f')}"


def _against(pair: dict[str, Any]) -> str:
    mark = "*" if verdict.differs(pair) else " "
    return f"{number(pair['pure_mean'], 1e-3, '.1f')}{mark}"


def _pairs(
    pairs: list[dict[str, Any]], name: str, names: dict[str, str], width: int | None
) -> list[Renderable]:
    family = [pair for pair in pairs if pair["metric"] == name]
    if not family:
        return []
    rows = [f"{names[pair['a']]} − {names[pair['b']]}" for pair in family]
    differences = [
        _mean({"mean": pair["difference"], "ci95": pair["ci95"]}, name, sign="+") for pair in family
    ]
    columns = [Column("difference", differences)]
    tests = {"paired_t_p": "paired t p", "holm_p": "Holm p", "wilcoxon_p": "Wilcoxon p", "welch_p": "Welch p"}
    columns += [Column(title, [_p(pair[test]) for pair in family]) for test, title in tests.items()]
    columns.append(Column("", [_judged(pair, len(family)) for pair in family]))
    note = (
        "Difference ± 95 % interval, seed by seed. Holm corrects the paired t (where all differences are the "
        f"same, the exact Wilcoxon) over the pairs of a metric; it takes {FEWEST_PAIRS} seeds or more."
    )
    return [*table(metrics.title(name), rows, columns, width), Text(note, style=DIM)]


def _judged(pair: dict[str, Any], tests: int) -> str:
    if verdict.undecided(pair, tests):
        return "too few seeds"
    if not verdict.differs(pair):
        return "not significant"
    return "more" if pair["difference"] > 0 else "less"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
