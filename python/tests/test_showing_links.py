"""The line of a run about its links' best rates."""

from tworay.naming import Nodes
from tworay.showing.links import lines


def test_links_are_named_by_rate_and_the_rest_is_counted() -> None:
    rates = [
        {"mode": "HT MCS 5", "rate_bps": 52_000_000, "links": [[0, 1], [1, 2]], "more": 0},
        {"mode": "HT MCS 2", "rate_bps": 19_500_000, "links": [[0, n] for n in range(2, 18)], "more": 1000},
    ]
    assert lines(rates, Nodes({"roof": 1})) == [
        "Links    best rates: 52 Mb/s (HT MCS 5) 0–roof, roof–2",
        # 16 are listed and 1,000 more counted; 8 are named.
        "         19.5 Mb/s (HT MCS 2) 0–2, 0–3, 0–4, 0–5, 0–6, 0–7, 0–8, 0–9 and 1,008 more",
    ]
    assert lines([], Nodes()) == []
