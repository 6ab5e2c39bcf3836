"""Render results as text: what ``run`` and ``compare`` print without ``--json``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tworay import metrics
from tworay.metrics.diagnosis import covers, scores
from tworay.naming import Nodes, sent_as
from tworay.showing.guessing import scored, share_right
from tworay.showing.layout import Column, fact, screen_width, table
from tworay.showing.links import links_of_run
from tworay.showing.text import Group, Text, display
from tworay.showing.underway import none_lost, under_way

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tworay.costs.counted import Cost
    from tworay.costs.measured import RunTime
    from tworay.showing.text import Renderable


def show(renderable: Renderable, *, stderr: bool = False) -> None:
    """Print in the width of the screen."""
    display(renderable, screen_width(), stderr=stderr)


def run_report(document: dict[str, Any], warmup: float = 0.0) -> Renderable:
    """Render one run; ``warmup``: its scenario's, s, which the figures of flows leave out."""
    sim = document["sim_seconds"]
    head = Text.assemble(
        (document["scenario"], "bold"),
        f"  seed {document['seed']}: {sim:g} s simulated, {document['events']:,} events, {_pace(document)}",
    )
    flows = document["flows"]
    loss = losses(["segments"], [document["ledger"]], on_way=under_way(document, warmup))
    guess = guesses({"guess": document["diagnosis"]}, {"guess": "guess"})
    facts = [*_shares(flows), *_facts_of_run(document), *links_of_run(document, Nodes.of(document))]
    return Group(
        head,
        "",
        *_flows(flows, Nodes.of(document)),
        *_transfers(flows, Nodes.of(document)),
        "",
        *loss,
        "",
        *guess,
        *([""] if guess else []),
        *facts,
        *warnings(document),
    )


def _pace(document: dict[str, Any]) -> str:
    """Say how fast the run was; a live network has the pace of its clock, whatever its engine computed."""
    live = document.get("live")
    if live is None:
        cpu = document["cpu_seconds"]
        return f"{_plain(document['sim_seconds'] / cpu)} times real time" if cpu else "no time at all"
    if "virtual" in live:
        return "in virtual time"
    slow = live["settings"]["slow"]
    return "in real time" if slow == 1 else f"{slow:g} times slower than real time"


def warnings(document: dict[str, Any]) -> list[Renderable]:
    """Render warnings: flows without a path, flows without goodput."""
    texts = [w if isinstance(w, str) else w["text"] for w in document.get("warnings", [])]
    return [fact(f"Warning  {text}", style="yellow") for text in texts]


def _flows(flows: list[dict[str, Any]], nodes: Nodes) -> list[Renderable]:
    return table("flow", *flow_columns(flows, nodes), names=1)


def _transfers(flows: list[dict[str, Any]], nodes: Nodes) -> list[Renderable]:
    """Render completion times of transfers by size, and stalls of video; nothing without either."""
    return [part for one in transfer_columns(flows, nodes) for part in ("", *table("flow", *one))]


def transfer_columns(flows: list[dict[str, Any]], nodes: Nodes) -> list[tuple[list[str], list[Column]]]:
    """Return the tables of transfers and of stalls: names of flows and columns; nothing without either."""
    found = []
    for extra in (metrics.OF_TRANSFERS, metrics.OF_VIDEO):
        some = [flow for flow in flows if flow.get(extra[0]) is not None]
        values = {name: [_member(flow, name) for flow in some] for name in extra}
        present = {name: row for name, row in values.items() if any(value is not None for value in row)}
        if some:
            names = flow_columns(some, nodes)[0]
            columns = [
                Column(metrics.title(name), [value_of(name, value) for value in row])
                for name, row in present.items()
            ]
            found.append((names, columns))
    return found


def _member(flow: dict[str, Any], name: str) -> Any:
    """Return a metric of a flow, also a member of a family."""
    family, _, member = name.partition(".")
    return (flow.get(family) or {}).get(member) if member else flow.get(family)


def flow_columns(flows: list[dict[str, Any]], nodes: Nodes) -> tuple[list[str], list[Column]]:
    """Return the names of flows and the columns of their table; the first column has words."""
    names = [f"{flow['id']}: {nodes.short(flow['from'])}→{nodes.short(flow['to'])}" for flow in flows]
    shown = [*metrics.SHOWN, *(metrics.OF_DATAGRAMS if any(flow["tcp"] is None for flow in flows) else ())]
    shown.insert(1, "sent_segments")
    columns = [Column("tcp", [sent_as(flow) for flow in flows])]
    columns += [
        Column(metrics.title(name), [value_of(name, _of_kind(flow, name)) for flow in flows])
        for name in shown
    ]
    return names, columns


def _of_kind(flow: dict[str, Any], name: str) -> Any:
    """Return a metric of a flow; of TCP not the delivered share, which counts what was sent again as sent."""
    return None if name == "delivery_ratio" and flow["tcp"] is not None else flow.get(name)


def _shares(flows: list[dict[str, Any]]) -> list[Renderable]:
    """Render each variant's share, if flows use several variants."""
    tcp = [flow for flow in flows if flow["tcp"] is not None]
    total = sum(flow["goodput_bps"] for flow in tcp)
    variants = list(dict.fromkeys(flow["tcp"] for flow in tcp))
    if len(variants) < 2 or not total:
        return []
    parts = []
    for variant in variants:
        mine = [flow["goodput_bps"] for flow in tcp if flow["tcp"] == variant]
        parts.append(f"{variant} {sum(mine) / total:.1%} with {len(mine)} of {len(tcp)} flows")
    return [fact(f"Shares   {', '.join(parts)}")]


def _facts_of_run(document: dict[str, Any]) -> list[Renderable]:
    mac, routing = document["mac"], document["routing"]

    def by_frame(counts: dict[str, Any]) -> str:
        return f"RTS/CTS {counts['rts_cts']}, DATA {counts['data']}, ACK {counts['ack']}"

    facts: list[Renderable] = [
        fact(
            f"MAC      collisions: {by_frame(mac['collisions'])};  gave up: {by_frame(mac['drops'])};  "
            f"queue drops: {mac['queue_drops']}"
        ),
        fact(f"Routing  {_routing(routing)}"),
    ]
    return facts + _energy_of_run(document["energy"]) + _resources_of_run(document["metrics"])


def _routing(routing: dict[str, Any]) -> str:
    failures = f"{routing['false_link_failures']} false link failures{_malformed(routing)}"
    if routing["control_packets"] is None:
        # A daemon's: only a capture (`air.*`) shows what it sends.
        whose = "the stations' own" if routing["protocol"] == "none" else routing["protocol"]
        return f"{whose}: packets and changes not counted; {failures}"
    return (
        f"{routing['protocol']}: {routing['control_packets']} control packets "
        f"({routing['control_bytes']} bytes), {routing['route_changes']} route changes, {failures}"
    )


def _energy_of_run(energy: dict[str, Any]) -> list[Renderable]:
    """Render the energy of radios and computing; nothing without an energy model."""
    if energy.get("joules_total") is None:
        return []
    states = energy.get("joules_by_state") or {}
    shares = ", ".join(f"{state} {joules:.4g}" for state, joules in states.items() if joules)
    lines = [
        f"Energy   {energy['joules_total']:.4g} J{f' ({shares})' if shares else ''}; "
        f"{number(energy['joules_per_received_bit'], 1e6, '.3g')} µJ per bit received, with idle "
        f"{number(energy['joules_total_per_received_bit'], 1e6, '.3g')}; "
        f"computing {number(energy['joules_computation'], 1e3, '.3g')} mJ",
        *costs_line(energy.get("costs")),
    ]
    if energy["dead_nodes"]:
        half = energy["half_dead_seconds"]
        lines.append(
            f"Lifetime first of {energy['dead_nodes']} nodes dead at {energy['first_death_seconds']:.1f} s, "
            + (f"half of all at {half:.1f} s" if half is not None else "never half of all")
        )
    else:
        lines.append("Lifetime no node died")
    return [fact(line) for line in lines]


def costs_line(costs: dict[str, Any] | None) -> list[str]:
    """Name the table of computing costs."""
    if costs is None:
        return []
    digest = f"SHA-256 {costs['sha256'][:12]}"
    if not costs["replaced"]:
        return [f"Costs    computing by the table that ships, {digest}"]
    head = next((line for line in costs["provenance"] if line), "its head says nothing")
    return [f"Costs    {', '.join(costs['replaced'])} by a table of your own, {digest}: {head}"]


def _resources_of_run(found: dict[str, Any]) -> list[Renderable]:
    if found.get("eee") is None:
        return []
    return [
        fact(
            f"Effort   EEE {found['eee']:.3f}, UAR {found['uar']:.3f} (0 is best), of the "
            f"{found['throughput_max_bps'] / 1000:.1f} kb/s that saturating sources get out"
        )
    ]


def _malformed(routing: dict[str, Any]) -> str:
    reasons = ", ".join(f"{reason} {count}" for reason, count in routing.get("malformed", {}).items())
    return f", malformed packets dropped: {reasons}" if reasons else ""


def losses(
    names: list[str],
    ledgers: list[dict[str, dict[str, int]]],
    width: int | None = None,
    on_way: int = 0,
) -> list[Renderable]:
    """Render causes of loss; causes that did not occur are listed in one line."""
    columns, never = loss_columns(ledgers)
    if not columns:
        return [Text(none_lost(on_way))]
    note = [Text(f"No loss by {', '.join(never)}.", style="dim")] if never else []
    return [*table("lost: data + ACK", names, columns, width), *note]


def loss_columns(ledgers: list[dict[str, dict[str, int]]]) -> tuple[list[Column], list[str]]:
    """Return the columns of the table of losses, none without losses, and the causes that did not occur."""
    causes = list(dict.fromkeys(cause for ledger in ledgers for cause in ledger))
    seen = [c for c in causes if any(sum(ledger.get(c, {}).values()) for ledger in ledgers)]
    never = [cause for cause in causes if cause not in seen]
    if not seen:
        return [], never
    nothing = {"data": 0, "ack": 0}
    everything = [sum(sum(cell.values()) for cell in ledger.values()) for ledger in ledgers]
    columns = [Column("all", [f"{total:,}" for total in everything])]
    for cause in seen:
        cells = [ledger.get(cause, nothing) for ledger in ledgers]
        columns.append(Column(cause, [_share(*pair) for pair in zip(cells, everything, strict=True)]))
    return columns, never


def guesses(
    matrices: dict[str, dict[str, dict[str, int]]], names: dict[str, str], width: int | None = None
) -> list[Renderable]:
    """Render senders' guesses against the true causes; nothing without guesses."""
    rows = [(name, guess, row) for name, counts in matrices.items() for guess, row in counts.items()]
    if not rows:
        return []
    causes = list(dict.fromkeys(cause for _, _, row in rows for cause in row))
    columns = [Column("of", [names[name] for name, _, _ in rows])] if len(matrices) > 1 else []
    columns += [Column(cause, [f"{row.get(cause, 0):,}" for _, _, row in rows]) for cause in causes]
    right = [
        sum(n for cause, n in row.items() if covers(guess, cause)) / sum(row.values())
        for _, guess, row in rows
    ]
    columns.append(Column("right", [f"{share:.0%}" for share in right]))
    shown = table(
        "guess \\ true cause", [guess for _, guess, _ in rows], columns, width, names=len(matrices) > 1
    )
    notes = []
    for name, counts in matrices.items():
        if counts:
            arm = f"{names[name]}: " if len(matrices) > 1 else ""
            said = f"{arm}{share_right(counts)}. {scored(counts, scores(counts))}"
            notes.append(Text(said, style="dim"))
    return [*shown, *notes]


def cost_report(costs: Iterable[Cost], joules: float, *, measured: bool) -> Renderable:
    """Render instructions by operation, and the energy per ACK."""
    costs = list(costs)
    names = [name for cost in costs for name, count in cost.instructions.items() if count]
    columns = [Column("on", [cost.recovery for cost in costs])]
    for name in dict.fromkeys(names):
        counts = [cost.instructions[name] for cost in costs]
        columns.append(Column(name.replace("_", " "), [f"{n:,.0f}" if n else "–" for n in counts]))
    acks = [c.instructions["ack_congestion_avoidance"] or c.instructions["ack_slow_start"] for c in costs]
    columns.append(Column("an ACK, nJ", [number(ack, joules * 1e9, ",.4g") for ack in acks]))
    shown = table("instructions", [cost.variant for cost in costs], columns, names=1)
    how = (
        "Counted by callgrind on this build, exactly and without hardware counters"
        if measured
        else "The table that ships (its head says how it was made)"
    )
    note = f"{how}; {joules:g} J an instruction."
    if measured:
        worst = max(abs(cost.explained - 1) for cost in costs)
        note += f" Operations × costs add up to all instructions of a sender's life within {worst:.1%}."
    return Group(*shown, Text(note, style="dim"))


def run_time_report(run_times: Iterable[RunTime], watts: float) -> Renderable:
    """Render run times by operation, and the energy per ACK."""
    run_times = list(run_times)
    measured = [
        name
        for name in (run_times[0].nanoseconds if run_times else {})
        if any(one.nanoseconds[name] != 0 for one in run_times)
    ]
    columns = [
        Column(name.replace("_", " "), [number(one.nanoseconds[name], 1.0, ",.1f") for one in run_times])
        for name in measured
    ]
    acks = [one.nanoseconds["ack_congestion_avoidance"] for one in run_times]
    columns.append(Column("an ACK, nJ", [number(ack, watts, ",.4g") for ack in acks]))
    shown = table("nanoseconds", [one.variant for one in run_times], columns)
    notes = [
        f"{one.variant}: "
        + ", ".join(f"{name} ran {count:,} times" for name, (_, count) in one.callbacks.items())
        for one in run_times
    ]
    notes.append(
        f"The controllers' callbacks alone, as the kernel counted them; {watts:g} W. "
        "–: a callback that never ran."
    )
    return Group(*shown, *(Text(note, style="dim") for note in notes))


def _share(cell: dict[str, int], everything: int) -> str:
    if not everything:
        return "0"
    share = (cell["data"] + cell["ack"]) / everything
    return f"{cell['data']:,} + {cell['ack']:,} ({share:.0%})"


def value_of(name: str, value: float | None) -> str:
    """Format a metric's value for tables."""
    metric = metrics.find(name)
    if metric is None:
        return number(value, 1.0, ",.4g")
    # A count in a single run is an integer.
    form = "," if isinstance(value, int) and metric.scale == 1.0 else metric.form
    return number(value, metric.scale, form)


def number(value: float | None, scale: float = 1.0, form: str = ",") -> str:
    """Format a number, or a dash for no value."""
    if value is None or not math.isfinite(value):
        return "–"
    text = format(value * scale if scale != 1.0 else value, form)
    # A negative value that is rounded to zero has no sign.
    return text.removeprefix("-") if not set(text) & set("123456789") else text


def _plain(value: float) -> str:
    """Format with two significant digits, or as an integer if it has more."""
    return f"{value:,.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"
