"""The page of a comparison: the verdict first, then its evidence."""

from __future__ import annotations

import itertools
import shlex
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay import metrics
from tworay.analysis import verdict
from tworay.errors import InputError
from tworay.experiment.store.tables import read_table, table_files
from tworay.metrics.declared import Better
from tworay.report.figures import Cell, Row, dots, figure, legend, matrix, numbers, stacked
from tworay.report.overlaid import of_arms
from tworay.report.page import capital, esc, number, table, whole_page
from tworay.showing.causes import ENDS
from tworay.showing.guessing import scored, share_right
from tworay.showing.reporting import columns_of, conclusion, labels, seeds_of

if TYPE_CHECKING:
    from tworay.experiment.comparison import Comparison
    from tworay.experiment.store.reading import Stored

# With more arms a matrix would be too wide to read; the table of pairs lists them.
WIDEST = 16
# Metrics in the table of runs.
OF_RUNS = ("goodput_bps", "timeouts", "retransmitted_segments")


def comparison_page(stored: Stored, seed: int | None = None) -> str:
    """Return the page of a stored comparison, also of an interrupted one.

    ``seed``: whose runs can be laid over each other. Default: the first that all arms finished.
    """
    result = stored.comparison()
    command = compare_command(stored)
    if not len(result):
        if seed is not None:
            raise InputError(f"--seed {seed}: no run of {stored.path} is finished")
        body = f"<h1>{esc(result.scenario)}</h1><p>No run of this comparison is finished.</p>"
        return whole_page(f"{result.scenario} – tworay", body, {"kind": "figures"})
    document = result.summary
    names = labels(document["arms"])[2]
    # The verdict is about the first one.
    shown = list(dict.fromkeys([*result.chosen, *columns_of(result)]))
    energy = [name for name in metrics.OF_ENERGY if name not in shown and _known(document, name)]
    traffic = (*metrics.OF_TRANSFERS, *metrics.OF_VIDEO)
    shown += [name for name in traffic if name not in shown and _known(document, name)]
    page = _Page(result, document, names)
    parts = [
        page.head(stored, shown),
        '<section id="metrics"><h2>Metrics</h2>'
        "<p>Faint points are seeds, a thin line joins those of one seed (the same world); the large point is "
        "the mean, the bar its 95 % interval.</p>",
        '<div class="figures">',
        *[page.metric(name) for name in shown if _known(document, name)],
        "</div></section>",
        page.significance(shown),
        page.losses(stored),
        page.diagnosis(),
    ]
    links = [
        ("metrics", "Metrics"),
        ("pairs", "Who differs"),
        ("losses", "Losses"),
        ("diagnosis", "Diagnosis"),
    ]
    if energy:
        parts += ['<section id="energy"><h2>Energy</h2><div class="figures">', *map(page.metric, energy)]
        parts.append("</div></section>")
        links.append(("energy", "Energy"))
    data: dict[str, Any] = {"kind": "figures"}
    packed: dict[str, str] = {}
    together = of_arms(stored, names, seed)
    if together is not None:
        section, data, tables = together
        packed = tables.packed
        parts.append(section)
        links.append(("together", "Over time"))
    parts.append(page.runs(stored, command))
    links += [("runs", "Runs"), ("again", "Make it again")]
    body = "\n".join(parts)
    return whole_page(f"{result.scenario}: comparison – tworay", body, data, packed, links)


def compare_command(stored: Stored) -> str:
    """Return the command that makes a comparison again."""
    manifest = stored.manifest
    arms = list(manifest["arms"].values())
    words = ["tworay", "compare", str(manifest.get("source") or "DIR/scenario.toml")]
    tcp = list(
        dict.fromkeys(
            f"{arm['label']}={arm['tcp']}" if arm.get("label") else arm["tcp"]
            for arm in arms
            if arm["tcp"] is not None
        )
    )
    mixes = list(
        dict.fromkeys(",".join(f"{k}:{v:g}" for k, v in arm["mix"].items()) for arm in arms if "mix" in arm)
    )
    if tcp:
        words += ["--tcp", ",".join(tcp)]
    for mix in mixes:
        words += ["--mix", mix]
    axes: dict[str, list[str]] = {}
    for arm in arms:
        for key, value in arm["set"].items():
            axes.setdefault(key, [])
            if value not in axes[key]:
                axes[key].append(value)
    for key, values in axes.items():
        words += ["--vary", f"{key}={','.join(values)}"]
    for setting in manifest.get("set") or []:
        words += ["--set", setting]
    words += ["--seeds", _seeds(manifest["seeds"])]
    for option in ("entries", "judge"):
        if manifest.get(option) and manifest[option] != metrics.TCP.name:
            words += [f"--{option}", manifest[option]]
    if manifest.get("metrics"):
        words += ["--metrics", ",".join(manifest["metrics"])]
    if manifest.get("resources"):
        words.append("--resources")
    return " ".join(map(shlex.quote, [*words, "--out", "AGAIN"]))


def _seeds(seeds: list[int]) -> str:
    if len(seeds) > 1 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]}-{seeds[-1]}"
    return ",".join(map(str, seeds)) if len(seeds) > 1 else f"{seeds[0]}-{seeds[0]}"


def _known(document: dict[str, Any], metric: str) -> bool:
    return any(cells.get(metric, {}).get("mean") is not None for cells in document["variants"].values())


class _Page:
    """The parts of the page."""

    def __init__(self, result: Comparison, document: dict[str, Any], names: dict[str, str]) -> None:
        self.result, self.document, self.names = result, document, names
        self.values = {arm: result.values(arm) for arm in result.variants}

    def head(self, stored: Stored, shown: list[str]) -> str:
        document = self.document
        said = conclusion(self.result, shown, self.names)
        facts = document["scenario_facts"]
        hops, parted = facts["mean_shortest_path_hops"], facts["partitioned_fraction"]
        seconds = " or ".join(f"{one:g}" for one in self.result.sim_seconds)
        world = f"{seconds} s simulated, {seeds_of(document)}; {len(self.names)} arms"
        if hops is not None:
            world += f"; shortest path {hops:.2f} hops on average"
        if parted is not None:
            world += f", no path {100 * parted:.1f} % of the time"
        parts = [
            f'<header class="page-head"><h1>{esc(document["scenario"])}: comparison</h1>',
            f'<p class="verdict">{esc(said[0] if said else "One arm: nothing to compare it with.")}</p>',
            *[f"<p>{esc(line)}</p>" for line in said[1:]],
            f"<p>{esc(world)}.</p>",
            *[f'<p class="warning">{esc(text)}</p>' for text in document["warnings"]],
        ]
        planned = len(stored.manifest["seeds"]) * len(self.result.variants)
        if len(self.result) < planned:
            parts.append(
                f'<p class="warning">{len(self.result)} of {planned} runs are finished; '
                "<code>tworay compare --resume DIR</code> does the others.</p>"
            )
        return "".join([*parts, "</header>"])

    def metric(self, name: str) -> str:
        """Return dots with intervals of one metric."""
        declared = metrics.find(name)
        scale = declared.scale if declared else 1.0
        title, unit = metrics.words(name)
        cells = self.document["variants"]
        family = [pair for pair in self.document["pairs"] if pair["metric"] == name]
        marks: dict[str, str] = {}
        if any(map(verdict.differs, family)):
            marks = verdict.letters(verdict.ordered(cells, name), family)
        rows = []
        for arm, short in self.names.items():
            cell = cells[arm].get(name) or {"mean": None, "ci95": None}
            by_seed = [self.values[arm].get(seed, {}).get(name) for seed in self.document["seeds"]]
            rows.append(
                Row(
                    short,
                    [None if value is None else value * scale for value in by_seed],
                    None if cell["mean"] is None else cell["mean"] * scale,
                    cell["ci95"] and (cell["ci95"][0] * scale, cell["ci95"][1] * scale),
                    marks.get(arm, ""),
                )
            )
        way = {Better.MORE: "More is better. ", Better.LESS: "Less is better. "}.get(
            declared.better if declared else Better.NEITHER, ""
        )
        about = (declared.definition.rstrip(".") + ". " if declared and declared.definition else "") + way
        about += "Arms that share a letter don't differ." if marks else ""
        about = capital(about)
        heading = f"{title}, {unit}" if unit else title
        head = [
            "arm",
            f"mean, {unit}" if unit else "mean",
            "95 % from",
            "to",
            "differs",
            *[f"seed {s}" for s in self.document["seeds"]],
        ]
        body = [
            [row.name, row.mean, *(row.interval or (None, None)), row.letter or "–", *row.values]
            for row in rows
        ]
        return figure(
            name.replace(".", "-"),
            capital(heading),
            about,
            dots(rows, heading, heading),
            numbers(heading, head, body),
        )

    def significance(self, shown: list[str]) -> str:
        """Return who differs from whom."""
        pairs = self.document["pairs"]
        parts = ['<section id="pairs"><h2>Who differs from whom</h2>']
        arms = list(self.names)
        if len(arms) < 2:
            return "".join([*parts, "<p>There is one arm only.</p></section>"])
        known = [name for name in shown if any(pair["metric"] == name for pair in pairs)]
        for place, name in enumerate(known):
            family = [pair for pair in pairs if pair["metric"] == name]
            text = self._matrix(name, arms, family) if len(arms) <= WIDEST else self._pairs(name, family)
            title, _ = metrics.words(name)
            opened = " open" if place == 0 else ""
            parts.append(f"<details{opened}><summary><strong>{esc(title)}</strong></summary>{text}</details>")
        return "".join([*parts, "</section>"])

    def _matrix(self, name: str, arms: list[str], family: list[dict[str, Any]]) -> str:
        declared = metrics.find(name)
        scale, better = (declared.scale, declared.better) if declared else (1.0, Better.NEITHER)
        title, unit = metrics.words(name)
        by_ends = {(pair["a"], pair["b"]): pair for pair in family}
        rows = []
        for a in arms:
            row = []
            for b in arms:
                pair = by_ends.get((a, b)) or by_ends.get((b, a))
                if a == b or pair is None or pair["difference"] is None:
                    row.append(Cell(""))
                    continue
                difference = pair["difference"] * (1 if (a, b) in by_ends else -1) * scale
                p = pair["holm_p"]
                differs = verdict.differs(pair)
                good = (difference > 0) == (better is Better.MORE)
                kind = "f-better" if good or better is Better.NEITHER else "f-worse"
                known = "unknown" if p is None else f"{p:.3g}"
                between = f"{self.names[a]} minus {self.names[b]}"
                about = f"{between}: {difference:+,.4g} {unit}, Holm p = {known}"
                row.append(
                    Cell(f"{difference:+,.3g}{'*' if differs else ''}", 1.0 if differs else 0.0, kind, about)
                )
            rows.append(row)
        short = [self.names[arm] for arm in arms]
        about = (
            f"Row minus column{f', {unit}' if unit else ''}, seed by seed in the same worlds. "
            "A star and colour: the difference is more than chance (paired t test, Holm p < 0.05)."
        )
        picture = matrix(short, short, rows, f"Differences in {title}")
        return figure(
            f"pairs-{name.replace('.', '-')}",
            f"Differences in {title}",
            about,
            picture,
            self._pairs(name, family),
        )

    def _pairs(self, name: str, family: list[dict[str, Any]]) -> str:
        declared = metrics.find(name)
        scale = declared.scale if declared else 1.0
        title, unit = metrics.words(name)
        rows = []
        for pair in family:
            low, high = pair["ci95"] or (None, None)
            rows.append(
                [
                    f"{self.names[pair['a']]} – {self.names[pair['b']]}",
                    *(None if v is None else v * scale for v in (pair["difference"], low, high)),
                    *(pair[test] for test in ("paired_t_p", "wilcoxon_p", "welch_p", "holm_p")),
                    "yes" if verdict.differs(pair) else "no",
                ]
            )
        head = ["pair", f"difference{f', {unit}' if unit else ''}", "95 % from", "to"]
        return table(
            f"{title}: every pair with its tests",
            [*head, "paired t", "Wilcoxon", "Welch", "Holm", "differs"],
            rows,
        )

    def losses(self, stored: Stored) -> str:
        """Return why segments were lost, and how they died."""
        ledger = self.document["ledger"]
        by_cause = [
            (
                self.names[arm],
                {c: float(n["data"] + n["ack"]) for c, n in ledger[arm].items() if n["data"] + n["ack"]},
            )
            for arm in self.names
        ]
        causes = list(dict.fromkeys(cause for _, of in by_cause for cause in of))
        parts = ['<section id="losses"><h2>Why segments were lost</h2>']
        if not causes:
            return "".join([*parts, "<p>Nothing was lost in any run.</p></section>"])
        rows = [
            [
                self.names[arm],
                *[ledger[arm].get(c, {}).get(kind, 0) for c in causes for kind in ("data", "ack")],
            ]
            for arm in self.names
        ]
        head = ["arm", *[f"{cause}, {kind}" for cause in causes for kind in ("data", "ACKs")]]
        about = "True causes: the first thing that kept a segment from going on; data and ACKs of all seeds."
        picture = legend(causes) + stacked(by_cause, "lost segments", "Lost segments by true cause")
        parts.append(
            figure(
                "losses-by-cause",
                "By root cause",
                about,
                picture,
                numbers("Lost segments", head, rows),
            )
        )
        ended = self._ended(stored)
        if ended:
            ends = list(dict.fromkeys(part for _, of in ended for part in of))
            rows = [[name, *[of.get(part, 0.0) for part in ends]] for name, of in ended]
            picture = legend(causes) + stacked(ended, "lost segments", "Lost segments by where they ended")
            about = "Where and how the last copy ended, within each cause: " + "; ".join(
                f"{died}: {ENDS.get(died, died)}"
                for died in dict.fromkeys(part.partition(": ")[2] for part in ends)
            )
            parts.append(
                figure(
                    "losses-by-end",
                    "How they died",
                    about + ".",
                    picture,
                    numbers("Lost segments", ["arm", *ends], rows),
                )
            )
        return "".join([*parts, "</section>"])

    def _ended(self, stored: Stored) -> list[tuple[str, dict[str, float]]]:
        files = table_files(stored.path, "ledger")
        if not files:
            return []
        whole = pl.concat([read_table(file).select("variant", "cause", "died") for file in files])
        counted = whole.group_by("variant", "cause", "died").len().sort("variant", "cause", "died")
        found = []
        for arm, name in self.names.items():
            mine = counted.filter(pl.col("variant") == arm)
            found.append(
                (name, {f"{row['cause']}: {row['died']}": float(row["len"]) for row in mine.to_dicts()})
            )
        return found

    def diagnosis(self) -> str:
        """Return the senders' guesses against the true causes."""
        parts = [
            '<section id="diagnosis"><h2>Did senders know why?</h2>',
            "<p>What a sender took a loss for, against its true cause. Only variants that tell causes apart "
            "guess; the share of a row's guesses that is right is its precision.</p>",
        ]
        guessing = {arm: found for arm, found in self.document["diagnosis"].items() if found}
        if not guessing:
            return "".join([*parts, "<p>None of these arms made a guess.</p></section>"])
        for arm, found in guessing.items():
            causes = list(dict.fromkeys(cause for row in found.values() for cause in row))
            scores = self.document["diagnosis_scores"][arm]
            most = max(itertools.chain([1], *(row.values() for row in found.values())))
            cells = []
            rows = []
            for guess, row in found.items():
                right = scores["precision"][guess]
                cells.append(
                    [
                        Cell(
                            f"{row.get(cause, 0):,}",
                            row.get(cause, 0) / most,
                            "f-better" if _covers(guess, cause) else "f-worse",
                            f"guessed {guess}, was {cause}: {row.get(cause, 0)}",
                        )
                        for cause in causes
                    ]
                    + [Cell("–" if right is None else f"{100 * right:.0f} %")]
                )
                rows.append([guess, *[row.get(cause, 0) for cause in causes], right])
            title = f"{self.names[arm]}: {share_right(found)}"
            about = (
                "Rows: the guess. Columns: the true cause, then the share that is right. "
                "Green is right, red wrong. " + scored(found, scores)
            )
            picture = matrix(list(found), [*causes, "right"], cells, title)
            parts.append(
                figure(
                    f"diagnosis-{_file(arm)}",
                    title,
                    about,
                    picture,
                    numbers(title, ["guess", *causes, "precision"], rows),
                )
            )
        return "".join([*parts, "</section>"])

    def runs(self, stored: Stored, command: str) -> str:
        """Return how to look at one run, every run's headline, and how all is made again."""
        arm = next(iter(self.names))
        seed = self.document["seeds"][0]
        one = f"tworay report DIR --arm {shlex.quote(arm)} --seed {seed}"
        columns = [(name, *metrics.shown(name)) for name in OF_RUNS]
        rows = [
            [f"{self.names[arm]}, seed {seed}", *(_scaled(of.get(name), scale) for name, _, scale in columns)]
            for arm, by_seed in self.values.items()
            for seed, of in by_seed.items()
        ]
        return (
            '<section id="runs"><h2>Runs</h2>'
            f"<p>The time-sequence page of one of them: <code>{esc(one)}</code>.</p>"
            f"<details><summary>All {number(len(rows))} runs</summary>"
            + table("Runs", ["run", *(title for _, title, _ in columns)], rows)
            + "</details></section>"
            '<section id="again"><h2>Make it again</h2>'
            f"<p>The comparison with all its figures: <code>{esc(command)}</code>. "
            "This page: <code>tworay report DIR</code>.</p></section>"
        )


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _covers(guess: str, cause: str) -> bool:
    from tworay.metrics.diagnosis import covers

    return covers(guess, cause)


def _file(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "+-." else "-" for letter in name)
