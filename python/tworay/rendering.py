"""Results as text for people: what ``run`` and ``compare`` print without ``--json``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from tworay.diagnosis import covers, scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from tworay.comparing import Comparison
    from tworay.costs import Cost
    from tworay.kernelcosts import RunTime

# Metric, heading, scale, format.
Column: TypeAlias = "tuple[str, str, float, str]"

# The columns of the comparison.
COLUMNS: tuple[Column, ...] = (
    ("goodput_bps", "goodput kb/s", 1e-3, ".1f"),
    ("retransmitted_segments", "retransmitted", 1.0, ".1f"),
    ("timeouts", "timeouts", 1.0, ".1f"),
    ("rto_idle_seconds", "idle in RTO s", 1.0, ".1f"),
    ("mean_cwnd_segments", "cwnd", 1.0, ".2f"),
    ("mean_rtt_seconds", "RTT ms", 1e3, ".0f"),
)
# Shown where a scenario has energy, or Throughput_max is known.
ENERGY_COLUMNS = (
    ("energy.joules_total", "radio J", 1.0, ".3g"),
    ("energy.joules_per_received_bit", "µJ/bit", 1e6, ".3g"),
    ("energy.joules_computation", "computing mJ", 1e3, ".3g"),
    ("energy.dead_nodes", "dead nodes", 1.0, ".1f"),
    ("energy.first_death_seconds", "first death s", 1.0, ".1f"),
    ("energy.half_dead_seconds", "half dead s", 1.0, ".1f"),
)
RESOURCE_COLUMNS = (
    ("metrics.eee", "EEE", 1.0, ".3f"),
    ("metrics.uar", "UAR", 1.0, ".3f"),
    ("metrics.throughput_max_bps", "Throughput_max kb/s", 1e-3, ".1f"),
)
SIGNIFICANT = 0.05


def show(renderable: RenderableType) -> None:
    """Print to stdout, wide enough for the tables where stdout is a file or a pipe."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    console.print(renderable)


def run_report(document: dict[str, Any]) -> RenderableType:
    """Render one run."""
    sim, cpu = document["sim_seconds"], document["cpu_seconds"]
    speed = f"{sim / cpu:.0f} times real time" if cpu else "no time at all"
    head = Text.assemble(
        (document["scenario"], "bold"),
        f"  seed {document['seed']}: {sim:g} s simulated, {document['events']:,} events, {speed}",
    )
    losses = _losses({"segments": document["ledger"]})
    guesses = _guesses({"guess": document["diagnosis"]})
    return Group(
        head,
        "",
        _flows(document["flows"]),
        "",
        *losses,
        *guesses,
        "",
        *_facts_of_run(document),
        *_warnings(document),
    )


def _warnings(document: dict[str, Any]) -> list[RenderableType]:
    """Render what to know before trusting the figures: flows without a path, flows that got nothing."""
    texts = [w if isinstance(w, str) else w["text"] for w in document.get("warnings", [])]
    return [Text(f"Warning  {text}", style="yellow") for text in texts]


def _flows(flows: list[dict[str, Any]]) -> Table:
    table = _table(
        "flow", "tcp", "goodput kb/s", "sent", "retransmitted", "timeouts", "idle in RTO s", "cwnd", "RTT ms"
    )
    for flow in flows:
        table.add_row(
            f"{flow['id']}: {flow['from']}→{flow['to']}",
            flow["tcp"] or "udp",
            _number(flow["goodput_bps"], 1e-3, ".1f"),
            _number(flow["sent_segments"]),
            _number(flow["retransmitted_segments"]),
            _number(flow["timeouts"]),
            _number(flow["rto_idle_seconds"], 1.0, ".1f"),
            _number(flow["mean_cwnd_segments"], 1.0, ".2f"),
            _number(flow["mean_rtt_seconds"], 1e3, ".0f"),
        )
    return table


def _facts_of_run(document: dict[str, Any]) -> list[RenderableType]:
    mac, routing = document["mac"], document["routing"]

    def by_frame(counts: dict[str, Any]) -> str:
        return f"RTS/CTS {counts['rts_cts']}, DATA {counts['data']}, ACK {counts['ack']}"

    facts: list[RenderableType] = [
        Text(
            f"MAC      collisions: {by_frame(mac['collisions'])};  gave up: {by_frame(mac['drops'])};  "
            f"queue drops: {mac['queue_drops']}"
        ),
        Text(
            f"Routing  {routing['protocol']}: {routing['control_packets']} control packets "
            f"({routing['control_bytes']} bytes), {routing['route_changes']} route changes, "
            f"{routing['false_link_failures']} false link failures{_malformed(routing)}"
        ),
    ]
    return facts + _energy_of_run(document["energy"]) + _resources_of_run(document["metrics"])


def _energy_of_run(energy: dict[str, Any]) -> list[RenderableType]:
    """Render what the radios and the transport's computations took; nothing without an energy model."""
    if energy.get("joules_total") is None:
        return []
    states = energy.get("joules_by_state") or {}
    shares = ", ".join(f"{state} {joules:.4g}" for state, joules in states.items() if joules)
    lines = [
        f"Energy   {energy['joules_total']:.4g} J{f' ({shares})' if shares else ''}; "
        f"{_number(energy['joules_per_received_bit'], 1e6, '.3g')} µJ per bit received, with idle "
        f"{_number(energy['joules_total_per_received_bit'], 1e6, '.3g')}; "
        f"computing {_number(energy['joules_computation'], 1e3, '.3g')} mJ",
        *_costs_line(energy.get("costs")),
    ]
    if energy["dead_nodes"]:
        half = energy["half_dead_seconds"]
        lines.append(
            f"Lifetime first of {energy['dead_nodes']} nodes dead at {energy['first_death_seconds']:.1f} s, "
            + (f"half of all at {half:.1f} s" if half is not None else "never half of all")
        )
    else:
        lines.append("Lifetime no node died")
    return [Text(line) for line in lines]


def _costs_line(costs: dict[str, Any] | None) -> list[str]:
    """Say by which table computing was counted."""
    if costs is None:
        return []
    digest = f"SHA-256 {costs['sha256'][:12]}"
    if not costs["replaced"]:
        return [f"Costs    computing by the table that ships, {digest}"]
    head = next((line for line in costs["provenance"] if line), "its head says nothing")
    return [f"Costs    {', '.join(costs['replaced'])} by a table of your own, {digest}: {head}"]


def _resources_of_run(found: dict[str, Any]) -> list[RenderableType]:
    if found.get("eee") is None:
        return []
    return [
        Text(
            f"Effort   EEE {found['eee']:.3f}, UAR {found['uar']:.3f} (0 is best), of the "
            f"{found['throughput_max_bps'] / 1000:.1f} kb/s that saturating sources get out"
        )
    ]


def _malformed(routing: dict[str, Any]) -> str:
    reasons = ", ".join(f"{reason} {count}" for reason, count in routing.get("malformed", {}).items())
    return f", malformed packets dropped: {reasons}" if reasons else ""


def comparison_report(result: Comparison) -> RenderableType:
    """Render a comparison: means with 95 % intervals, tests, causes of loss."""
    document = result.summary
    facts, seeds = document["scenario_facts"], document["seeds"]
    hops, parted = facts["mean_shortest_path_hops"], facts["partitioned_fraction"]
    head = Text.assemble(
        (document["scenario"], "bold"),
        f": {result.sim_seconds:g} s simulated, {len(seeds)} seed{'s' * (len(seeds) != 1)}; "
        f"shortest path {_number(hops, 1.0, '.2f')} hops on average, "
        f"no path {_number(parted, 100.0, '.1f')} % of the time",
    )
    parts: list[RenderableType] = [head, "", _means(document["variants"], COLUMNS), ""]
    for columns in (ENERGY_COLUMNS, RESOURCE_COLUMNS):
        if any(_known(cells, columns[0][0]) for cells in document["variants"].values()):
            shown = [c for c in columns if any(_known(v, c[0]) for v in document["variants"].values())]
            parts += [_means(document["variants"], shown), ""]
    if document["pairs"]:
        parts += [_pairs(document["pairs"]), ""]
    parts += _losses(document["ledger"])
    parts += _guesses(document["diagnosis"])
    parts += [Text(line) for line in _costs_line(document["costs"])]
    parts += _warnings(document)
    return Group(*parts)


def _known(cells: dict[str, Any], metric: str) -> bool:
    return cells.get(metric, {"mean": None})["mean"] is not None


def _means(variants: dict[str, dict[str, Any]], columns: Iterable[Column]) -> Table:
    columns = list(columns)
    table = _table("mean ± 95 % CI", *(heading for _, heading, _, _ in columns))
    for variant, cells in variants.items():
        runs = max((cell["n"] for cell in cells.values()), default=0)
        row = [_mean(cells.get(metric), scale, form, runs=runs) for metric, _, scale, form in columns]
        table.add_row(variant, *row)
    return table


def _mean(cell: dict[str, Any] | None, scale: float, form: str, sign: str = "", runs: int = 0) -> str:
    if cell is None or cell["mean"] is None:
        return "–"
    text = _number(cell["mean"], scale, sign + form)
    if cell["ci95"] is not None:
        low, high = cell["ci95"]
        text += f" ± {_number((high - low) / 2, scale, form)}"
    # Not every run has a first death.
    return f"{text} ({cell['n']} of {runs})" if cell.get("n", runs) < runs else text


def _pairs(pairs: list[dict[str, Any]]) -> RenderableType:
    metric, heading, scale, form = COLUMNS[0]
    table = _table(heading, "difference ± 95 % CI", "paired t p", "Holm p", "Wilcoxon p", "Welch p", "")
    for pair in pairs:
        if pair["metric"] != metric:
            continue
        table.add_row(
            f"{pair['a']} − {pair['b']}",
            _mean({"mean": pair["difference"], "ci95": pair["ci95"]}, scale, form, sign="+"),
            *(_p(pair[test]) for test in ("paired_t_p", "holm_p", "wilcoxon_p", "welch_p")),
            _verdict(pair),
        )
    notes = [
        "Paired by seed (same world); Holm corrects the paired t over the pairs of a metric; "
        f"significant: Holm p < {SIGNIFICANT:g}."
    ]
    for other, heading, scale, form in (*COLUMNS[1:], *ENERGY_COLUMNS, *RESOURCE_COLUMNS):
        found = [
            f"{_more(pair)} ({_number(abs(pair['difference']), scale, form)})"
            for pair in pairs
            if pair["metric"] == other and _significant(pair)
        ]
        if found:
            notes.append(f"Significant in {heading}: {', '.join(found)}")
    return Group(table, *(Text(note, style="dim") for note in notes))


def _significant(pair: dict[str, Any]) -> bool:
    p, difference = pair["holm_p"], pair["difference"]
    return p is not None and p < SIGNIFICANT and bool(difference)


def _more(pair: dict[str, Any]) -> str:
    high, low = (pair["a"], pair["b"]) if pair["difference"] > 0 else (pair["b"], pair["a"])
    return f"{high} > {low}"


def _verdict(pair: dict[str, Any]) -> str:
    if pair["holm_p"] is None:
        return "too few seeds"
    return _more(pair) if _significant(pair) else "not significant"


def _losses(ledgers: dict[str, dict[str, dict[str, int]]]) -> list[RenderableType]:
    """Render why segments were lost; causes that never happened are named in one line."""
    causes = list(dict.fromkeys(cause for ledger in ledgers.values() for cause in ledger))
    seen = [c for c in causes if any(sum(ledger.get(c, {}).values()) for ledger in ledgers.values())]
    if not seen:
        return [Text("No segment was lost.")]
    table = _table("lost: data + ACK", *seen, "all")
    for name, ledger in ledgers.items():
        cells = [ledger.get(cause, {"data": 0, "ack": 0}) for cause in seen]
        everything = sum(cell["data"] + cell["ack"] for cell in cells)
        table.add_row(name, *(_share(cell, everything) for cell in cells), f"{everything:,}")
    never = [cause for cause in causes if cause not in seen]
    return [table, Text(f"No loss by {', '.join(never)}.", style="dim")] if never else [table]


def _guesses(matrices: dict[str, dict[str, dict[str, int]]]) -> list[RenderableType]:
    """Render what senders thought beside what it was; nothing if none made a guess."""
    rows = [(name, guess, row) for name, counts in matrices.items() for guess, row in counts.items()]
    if not rows:
        return []
    causes = list(dict.fromkeys(cause for _, _, row in rows for cause in row))
    table = _table("guess \\ true cause", "of", *causes, "right")
    for name, guess, row in rows:
        right = sum(count for cause, count in row.items() if covers(guess, cause))
        cells = (f"{row.get(cause, 0):,}" for cause in causes)
        table.add_row(guess, name, *cells, f"{right / sum(row.values()):.0%}")
    accuracies = [
        f"{name}: {value:.0%}"
        for name, counts in matrices.items()
        if (value := scores(counts)["balanced_accuracy"]) is not None
    ]
    note = Text(f"Balanced accuracy  {', '.join(accuracies)}", style="dim")
    return ["", table, note] if accuracies else ["", table]


def cost_report(costs: Iterable[Cost], joules: float, *, measured: bool) -> RenderableType:
    """Render instructions by operation, and what an ACK costs in energy."""
    costs = list(costs)
    names = [name for cost in costs for name, count in cost.instructions.items() if count]
    shown = list(dict.fromkeys(names))
    table = _table("instructions", "on", *(name.replace("_", " ") for name in shown), "an ACK, nJ")
    for cost in costs:
        counts = cost.instructions
        ack = counts["ack_congestion_avoidance"] or counts["ack_slow_start"]
        cells = (f"{counts[name]:,.0f}" if counts[name] else "–" for name in shown)
        table.add_row(cost.variant, cost.recovery, *cells, _number(ack, joules * 1e9, ",.4g"))
    how = (
        "Counted by callgrind on this build, exactly and without hardware counters"
        if measured
        else "The table that ships (its head says how it was made)"
    )
    note = f"{how}; {joules:g} J an instruction."
    if measured:
        worst = max(abs(cost.explained - 1) for cost in costs)
        note += f" Operations × costs add up to all instructions of a sender's life within {worst:.1%}."
    return Group(table, Text(note, style="dim"))


def run_time_report(run_times: Iterable[RunTime], watts: float) -> RenderableType:
    """Render run times by operation, and what an ACK costs in energy."""
    run_times = list(run_times)
    shown = [
        name
        for name in (run_times[0].nanoseconds if run_times else {})
        if any(one.nanoseconds[name] != 0 for one in run_times)
    ]
    table = _table("nanoseconds", *(name.replace("_", " ") for name in shown), "an ACK, nJ")
    for one in run_times:
        cells = (_number(one.nanoseconds[name], 1.0, ",.1f") for name in shown)
        ack = one.nanoseconds["ack_congestion_avoidance"]
        table.add_row(one.variant, *cells, _number(ack, watts, ",.4g"))
    notes = [
        f"{one.variant}: "
        + ", ".join(f"{name} ran {count:,} times" for name, (_, count) in one.callbacks.items())
        for one in run_times
    ]
    notes.append(
        f"The controllers' callbacks alone, as the kernel counted them; {watts:g} W. "
        "–: a callback that never ran."
    )
    return Group(table, *(Text(note, style="dim") for note in notes))


def _share(cell: dict[str, int], everything: int) -> str:
    if not everything:
        return "0"
    share = (cell["data"] + cell["ack"]) / everything
    return f"{cell['data']:,} + {cell['ack']:,} ({share:.0%})"


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="left" if index == 0 else "right", no_wrap=index == 0)
    return table


def _number(value: float | None, scale: float = 1.0, form: str = ",") -> str:
    if value is None or not math.isfinite(value):
        return "–"
    return format(value * scale if scale != 1.0 else value, form)


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
