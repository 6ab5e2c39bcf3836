"""Write explanations as text: a heading for each moment, then a few lines with one fact each."""

from __future__ import annotations

import textwrap
from typing import Any, TypeAlias

from tworay.naming import Nodes, sent_as
from tworay.showing.causes import ENDS, ROOTS
from tworay.showing.chains import sentence
from tworay.showing.layout import screen_width
from tworay.showing.spans import in_words
from tworay.showing.underway import with_rest

LABEL = 10
# A loss farther from the time asked for is said to be the nearest one, s.
FAR = 0.1
# The most reactions and retransmissions in a text; the document has all.
LISTED = 4

REACTIONS = {
    "timeout": "the retransmission timer expired",
    "fast-retransmit": "duplicate ACKs brought a retransmission",
    "window-cut": "it cut its window",
}

Row: TypeAlias = dict[str, Any]


def text(document: Row) -> str:
    """Write a document of ``explain`` as text, in the width of the screen."""
    if document["flow"] is None:
        return _all_flows(document)
    tcp, nodes = sent_as(document), Nodes.of(document)
    lines = [
        f"{document['scenario']}, seed {document['seed']}: flow {document['flow']}, {tcp}, "
        f"{nodes(document['from'])} to {nodes(document['to'])}"
    ]
    if not document["moments"]:
        lines += ["", with_rest("It lost nothing.", document["under_way"])]
    if document["at_s"] is None and document["idle"]:
        total = sum(spell["end_s"] - spell["begin_s"] for spell in document["idle"])
        many = _count(len(document["idle"]), "spell")
        lines += ["", *_wrapped("", f"It had nothing to send for {in_words(total)} in {many}: no pauses.")]
    for moment in document["moments"]:
        lines += ["", *_wrapped("", _heading(document, moment))]
        if document["at_s"] is None and moment["pause"]:
            lines += _indented(sentence(moment["chain"]))
            continue
        for label, said in _sentences(document, moment):
            lines += _wrapped(label, said)
    if document["at_s"] is None and document["moments"]:
        lines += ["", "--at TIME tells one of them in full."]
    return "\n".join(lines)


def _all_flows(document: Row) -> str:
    nodes = Nodes.of(document)
    lines = [f"{document['scenario']}, seed {document['seed']}: {len(document['flows'])} flows"]
    if not document["moments"]:
        lines += ["", with_rest("They lost nothing, and waited for nothing.", document["under_way"])]
    for moment in document["moments"]:
        about = document["flows"][str(moment["flow"])]
        ends = f"{nodes.short(about['from'])} to {nodes.short(about['to'])}"
        whose = f"flow {moment['flow']} ({ends}, {sent_as(about)})"
        lines += ["", *_wrapped("", f"{whose}, {_heading(document | about, moment)}")]
        lines += _indented(sentence(moment["chain"]))
    if document["moments"]:
        lines += ["", "--flow N --at TIME tells one of them in full."]
    return "\n".join(lines)


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, screen_width(), initial_indent="  ", subsequent_indent="  ")


def _wrapped(label: str, sentence: str) -> list[str]:
    if not label:
        return textwrap.wrap(sentence, screen_width())
    indent = " " * (LABEL + 2)
    first = f"  {label:<{LABEL}}"
    return textwrap.wrap(sentence, screen_width(), initial_indent=first, subsequent_indent=indent)


def _tells_pause(document: Row, moment: Row) -> bool:
    """Return whether a moment was chosen by its pause, and not by its loss."""
    return document["at_s"] is None or moment.get("of") == "pause"


def _heading(document: Row, moment: Row) -> str:
    pause, loss, at = moment["pause"], moment["loss"], document["at_s"]
    if _tells_pause(document, moment) and pause:
        until = "to the run's end" if pause["to_the_end"] else f"until {_at(pause['end_s'])}"
        length = in_words(pause["end_s"] - pause["begin_s"])
        return f"{_at(pause['begin_s'])}: nothing new acknowledged for {length}, {until}"
    burst = moment["burst"]
    if burst:
        many = _count(burst["datagrams"], "datagram")
        return f"{_at(loss['since_s'])}: {many} lost one after the other, {burst['first']} to {burst['last']}"
    if loss:
        nearest = at is not None and not loss["since_s"] - FAR <= at <= loss["t_s"] + FAR
        return (
            f"{_at(loss['t_s'])}: {_what(moment)} was lost"
            + f", the nearest loss to {_at(at or 0.0)}" * nearest
        )
    return f"{_at(document['at_s'] or 0.0)}: this flow lost nothing in the whole run"


def _sentences(document: Row, moment: Row) -> list[tuple[str, str]]:
    """Return the lines of a moment with their labels."""
    loss, nodes = moment["loss"], Nodes.of(document)
    said: list[tuple[str, str]] = []
    if loss:
        if _tells_pause(document, moment):
            first = ", the first of them" if moment["burst"] else ""
            said.append(("lost", f"{_what(moment)}{first}, at {_at(loss['t_s'])}."))
        change = moment["change"]
        by = f" ({change['text']} at {_at(change['t_s'])})" if change else ""
        said += [
            ("cause", f"{ROOTS.get(loss['cause'], loss['cause'])}{by}."),
            ("where", _where(loss, nodes)),
        ]
        said.append(("ended", _ended(moment, nodes)))
    elif _tells_pause(document, moment):
        said.append(("lost", "nothing that would have ended it: what was on its way was late."))
        said.append(("story", sentence(moment["chain"])))
    if moment["others_lost"]:
        thing = "datagram" if document["tcp"] is None else "segment"
        with_it = "besides" if loss else "meanwhile"
        others = [
            f"{_count(row['segments'], 'ACK' if row['kind'] == 'ack' else thing)} by {row['cause']}"
            for row in moment["others_lost"]
        ]
        said.append((with_it, f"{_and(others)} of the flow."))
    if moment["sender"]:
        said.append(("sender", _sender(moment)))
    pause = moment["pause"]
    if pause and not _tells_pause(document, moment):
        until = "the run's end" if pause["to_the_end"] else _at(pause["end_s"])
        said.append(("saw", f"nothing new acknowledged from {_at(pause['begin_s'])} to {until}."))
    if document["tcp"] is None:
        return said
    said.append(("did", _did(moment)))
    said.append(("guess", _guess(document, moment)))
    if loss:
        said.append(("again", _again(moment)))
    return said


def _what(moment: Row) -> str:
    loss, part = moment["loss"], moment["part"]
    number = loss.get("relative_seq", loss["seq"])
    return {
        "datagram": f"datagram {loss['seq']}",
        "ack": f"the ACK of everything before byte {number}",
        "syn": "the SYN, or its answer",
        "fin": "the receiver's FIN",
        "data": f"the data segment at byte {number}",
        "other-data": f"the data segment at byte {number} of the other direction",
        "other-ack": f"the ACK of everything before byte {number} of the other direction",
    }[part]


def _where(loss: Row, nodes: Nodes) -> str:
    """Say where the loss began: the hop, the number of attempts, and who interfered."""
    here, there, tried, by = loss["root_node"], loss["next_hop"], loss["attempts"], loss["interferer"]
    if there is None:
        return f"at {nodes(here)}, since {_at(loss['since_s'])}."
    sentence = f"on the hop from {nodes(here)} to {nodes(there)}, since {_at(loss['since_s'])}"
    if not tried:
        return f"{sentence}."
    sentence += f"; {_count(tried, 'frame')} sent without success"
    if by is None:
        none = ", the last spoiled by no single signal" if loss["cause"] == "contention" else ""
        return f"{sentence}{none}."
    if by == there:
        return f"{sentence}, the last while {nodes(by)} was sending itself."
    return f"{sentence}, the last spoiled by the signal of {nodes(by)}."


def _ended(moment: Row, nodes: Nodes) -> str:
    loss = moment["loss"]
    limit = f" ({moment['queue_limit']} packets)" if moment["queue_limit"] else ""
    later = loss["t_s"] - loss["since_s"]
    after = f", {in_words(later)} later" if later >= 0.001 else ""
    return f"at {nodes(loss['node'])}{after}: {ENDS.get(loss['died'], loss['died'])}{limit}."


def _sender(moment: Row) -> str:
    state, way = moment["sender"], moment["in_network"]
    srtt = "no RTT yet" if state["srtt_s"] is None else f"RTT {in_words(state['srtt_s'])}"
    flight = _count(round(state["in_flight_segments"]), "segment")
    words = (
        f"cwnd {state['cwnd_segments']:.1f}, ssthresh {state['ssthresh_segments']:.1f}, "
        f"{flight} in flight, {srtt}, RTO {in_words(state['rto_s'])}"
    )
    if way:
        words += f"; {way['data_segments']} data and {_count(way['ack_segments'], 'ACK')} in the network"
    return f"{words}."


def _did(moment: Row) -> str:
    reactions = moment["reactions"]
    if not reactions and moment["sent_again"]:
        return "nothing new: it was in a recovery already when it sent again what was missing."
    if not reactions:
        return "nothing: neither its timer nor duplicate ACKs indicated a loss."
    said = []
    for reaction in reactions[:LISTED]:
        changes = [
            f"{name} {_pair(reaction[key], form)}"
            for name, key, form in (
                ("cwnd", "cwnd_segments", _plain),
                ("ssthresh", "ssthresh_segments", _plain),
                ("RTO", "rto_s", in_words),
            )
            if reaction[key][0] != reaction[key][1]
        ]
        what = f"{_at(reaction['t_s'])} {REACTIONS[reaction['what']]}"
        said.append(what + (f" ({', '.join(changes)})" if changes else ""))
    more = len(reactions) - LISTED
    return "; ".join(said) + (f"; and {more} more." if more > 0 else ".")


def _guess(document: Row, moment: Row) -> str:
    guess = moment["guess"]
    if guess:
        verdict = "right" if guess["right"] else f"wrong, it was {guess['cause']}"
        if guess["cause"] == "none":
            verdict = "wrong, nothing had been lost"
        elif guess["cause_by_outcome"] == "none":
            verdict += (
                f" (held up by {guess['cause']} at that time, and delivered later)" if guess["right"] else ""
            )
        return f"{guess['guess']}, at {_at(guess['t_s'])}: {verdict}."
    if not moment["guesses_in_run"]:
        return f"none; {document['tcp']} made none in the whole run."
    return "none about this."


def _again(moment: Row) -> str:
    """Say how the loss was repaired."""
    loss, rows, done = moment["loss"], moment["sent_again"], moment["acknowledged_s"]
    is_ack = loss["kind"] == "ack"
    if done is not None and done <= loss["since_s"]:
        return f"not needed: everything up to there had been acknowledged at {_at(done)}."
    if moment["part"] == "syn":
        said = "a SYN is sent again when the timer expires"
    elif rows is None:
        said = "this run's tables don't say what was sent again"
    elif not rows:
        said = "nothing that it covered was sent again" if is_ack else "it was not sent again"
    else:
        times = ", ".join(_at(row["t_s"]) for row in rows[:LISTED])
        more = f" and {len(rows) - LISTED} times more" if len(rows) > LISTED else ""
        what = "data that had arrived was sent again" if is_ack else "sent again"
        said = f"{what} at {times}{more}"
    if done is None and moment["part"].startswith("other"):
        return f"{said}."
    if done is None:
        return f"{said}; never acknowledged in this run."
    return f"{said}; {'a later ACK' if is_ack else 'its ACK'} came at {_at(done)}."


def _pair(values: list[float], form: Any) -> str:
    return f"{form(values[0])} → {form(values[1])}"


def _plain(value: float) -> str:
    return f"{value:.1f}"


def _at(time: float) -> str:
    return f"{time:.3f} s"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
