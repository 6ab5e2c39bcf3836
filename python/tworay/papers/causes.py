"""Causes of differences from a paper: as known, and as the other dialect and the other readings show it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from tworay.papers.filling import PLACE, UNKNOWN, filled_line, of_result
from tworay.papers.library import STANDARD
from tworay.papers.rule import Sense, Verdict

if TYPE_CHECKING:
    from tworay.papers.library import Claim
    from tworay.papers.reproducing import Reproduction
    from tworay.papers.verdicts import Cell, Judgement

# Verdicts that differ from the paper, and so need a cause.
DIFFERS = (Verdict.FAILS, Verdict.DIRECTION)
# Ends of sentences, which a decimal point and an abbreviation before a small letter are not.
SENTENCES = re.compile(r"(?<=[.]) (?=[A-Z])")
NOT_KNOWN = "The cause is not known"
SURVIVES = {
    Verdict.HOLDS: "Survives a standard MAC.",
    Verdict.DIRECTION: "Simulator: with a standard MAC in direction only.",
    Verdict.FAILS: "Simulator: not with a standard MAC.",
    Verdict.INCONCLUSIVE: "With a standard MAC these seeds cannot decide.",
    Verdict.UNTESTED: "With a standard MAC not tested.",
}
NEITHER = {
    Verdict.FAILS: "In neither dialect.",
    Verdict.DIRECTION: "With a standard MAC in direction.",
    Verdict.INCONCLUSIVE: "With a standard MAC these seeds cannot decide.",
}


def cause(result: Reproduction, claim: Claim) -> str:
    """Return the cause of a difference from the paper; empty if there is none."""
    judgement = result.judgements.get(claim.id)
    if judgement is None or judgement.verdict not in DIFFERS:
        return ""
    known = claim.known or _headline(result, claim) or _experiment(result, claim)
    readings = by_readings(result, claim.id)
    why = told(result, known).rstrip(".")
    if why:
        return " ".join(filter(None, [f"{why}.", readings]))
    return readings or f"{NOT_KNOWN}: {how_it_differs(judgement)}; {_tried(result, claim.id)}."


def _headline(result: Reproduction, claim: Claim) -> str:
    """Return the explanation of the headline that the claim belongs to, without results of other claims."""
    because = next((one.because for one in result.paper.headlines if claim.id in one.claims), "")
    said = SENTENCES.split(because)
    return " ".join(one for one in said if all(place[1] == claim.id for place in PLACE.finditer(one)))


def _experiment(result: Reproduction, claim: Claim) -> str:
    """Return the explanation of the experiment that the claim is judged on."""
    return result.paper.trials[claim.experiment].because if claim.experiment else ""


def told(result: Reproduction, text: str) -> str:
    """Return a text with the results in place, without sentences about readings that have not been run."""
    parts = [filled_line(one, of_result(result), result.paper) for one in SENTENCES.split(text)]
    return " ".join(one for one in parts if UNKNOWN not in one)


def by_readings(result: Reproduction, claim: str) -> str:
    """Return where a claim holds that does not with the deciding settings; empty if nowhere."""
    holds = [name for name, one in result.others.get(claim, {}).items() if one.verdict is Verdict.HOLDS]
    parts = []
    if settings := [name for name in holds if name != STANDARD]:
        parts.append(f"Setting: it holds with {' or '.join(settings)}.")
    if STANDARD in holds:
        parts.append("Simulator: it holds with a standard MAC.")
    return " ".join(parts)


def tag(result: Reproduction, claim: str) -> str:
    """Return in a sentence which of simulator and settings a claim's verdict depends on."""
    judgement = result.judgements.get(claim)
    if judgement is None:
        return ""
    beside = result.others.get(claim, {}).get(STANDARD)
    match judgement.verdict:
        case Verdict.HOLDS:
            return SURVIVES.get(beside.verdict, "") if beside else "Not run with a standard MAC."
        case Verdict.DIRECTION if beside and beside.verdict is Verdict.FAILS:
            return by_readings(result, claim) or "Not with a standard MAC."
        case Verdict.FAILS | Verdict.DIRECTION:
            return by_readings(result, claim) or (NEITHER.get(beside.verdict, "") if beside else "")
        case Verdict.INCONCLUSIVE:
            return by_readings(result, claim) or "These seeds cannot decide."
        case Verdict.CONTRADICTED:
            return "Paper: it contradicts itself."
    return ""


def how_it_differs(judgement: Judgement) -> str:
    """Return in words how the cells that differ do so, with their number if there are several."""
    counts = Counter(_difference(cell) for cell in judgement.tested if cell.verdict in DIFFERS)
    if not counts:
        return "the cells differ only taken together"
    several = len(judgement.tested) > 1
    return ", ".join(f"{said} in {n} of {len(judgement.tested)} cells" if several else said
                     for said, n in counts.most_common())  # fmt: skip


def _difference(cell: Cell) -> str:
    one, claimed = cell.measured, cell.claimed
    if one.low is None or one.high is None or one.estimate is None:
        return "without an interval"
    if claimed.sense is Sense.BAND:
        return "less than claimed" if one.estimate < claimed.low else "more than claimed"
    if claimed.sense is Sense.EQUAL:
        return "a difference"
    if cell.equivalent:
        return f"no difference beyond {claimed.margin:g} %"
    if one.high < 0 or one.low > 0:
        forward = (one.low > 0) == (claimed.sense is Sense.MORE)
        return f"less than {claimed.margin:g} %" if forward else "the other way round"
    return "no difference as claimed"


def _tried(result: Reproduction, claim: str) -> str:
    others = result.others.get(claim, {})
    readings = len([name for name in others if name != STANDARD])
    dialects = "the standard dialect" if STANDARD in others else ""
    words = f"{readings} other reading{'s' * (readings != 1)}" if readings else ""
    tried = " or ".join(filter(None, [dialects, words]))
    return f"nor does it hold in {tried}" if tried else "no other reading was run"
