"""Names of arms in plots: short, apart from each other, within the picture."""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING

import pytest

from tworay.experiment.arms import Arm
from tworay.experiment.comparison import Comparison
from tworay.report import figures
from tworay.showing.armaxis import label_arms, short_names
from tworay.showing.pictures import empty

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TCP = ("newreno", "cubic", "vegas", "westwood")
ROUTING = ("aodv", "dsr", "olsr", "static")
PRODUCT = {
    f"{tcp} routing.protocol={routing}": {"tcp": tcp, "routing.protocol": routing}
    for routing in ROUTING
    for tcp in TCP
}
FLAT = {
    name: {"tcp": name}
    for name in (*TCP, "newreno+sca(10)", "welcome(bwe=tustin)", "reno", "tahoe", "x" * 60)
}


def drawn(parts: dict[str, dict[str, str]]) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure, axes = empty()
    axes.set_xlim(0.5, len(parts) + 0.5)
    label_arms(axes, list(parts), parts)
    axes.set_title("mesh, 10 seeds")
    FigureCanvasAgg(figure).draw()
    return figure


@pytest.mark.parametrize("parts", [PRODUCT, FLAT, {name: {"tcp": name} for name in TCP}])
def test_names_neither_overlap_nor_leave_the_picture(parts: dict[str, dict[str, str]]) -> None:
    figure = drawn(parts)
    (axes,) = figure.axes
    labels = axes.get_xticklabels()
    assert len(labels) == len(parts)
    for axis in (axes, *axes.child_axes):
        for text in axis.get_xticklabels():
            box = text.get_window_extent()
            assert box.x0 >= 0
            assert box.y0 >= 0
            assert box.x1 <= figure.bbox.width
            assert box.y1 <= figure.bbox.height
    for one, other in itertools.pairwise(labels):
        angle = one.get_rotation()
        if angle == 0:
            assert one.get_window_extent().x1 < other.get_window_extent().x0
            continue
        # Parallel lines of text: their distance is the step times the sine of the angle.
        step = axes.transData.transform((2, 0))[0] - axes.transData.transform((1, 0))[0]
        height = one.get_fontsize() * figure.dpi / 72
        assert step * math.sin(math.radians(angle)) > height


def test_a_product_is_named_on_two_levels() -> None:
    (axes,) = drawn(PRODUCT).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == list(TCP) * 4
    (above,) = axes.child_axes
    assert [text.get_text() for text in above.get_xticklabels()] == list(ROUTING)
    # Above the middle of each group of four: 1 to 4, 5 to 8, and so on.
    assert [float(place) for place in above.get_xticks()] == [2.5, 6.5, 10.5, 14.5]
    assert (axes.get_xlabel(), above.get_xlabel()) == ("tcp", "routing.protocol")


def test_arms_without_groups_have_one_level() -> None:
    missing = {arm: of for arm, of in PRODUCT.items() if arm != "vegas routing.protocol=dsr"}
    # Neither choice stays the same over neighbours.
    mixed = dict(
        sorted(
            PRODUCT.items(), key=lambda arm: (TCP.index(arm[1]["tcp"]) + len(arm[1]["routing.protocol"])) % 4
        )
    )
    for parts in (missing, mixed):
        (axes,) = drawn(parts).axes
        assert axes.child_axes == []
        names = [f"{of['tcp']} {of['routing.protocol']}" for of in parts.values()]
        assert [text.get_text() for text in axes.get_xticklabels()] == names


def test_what_all_arms_share_is_in_no_name() -> None:
    apart, short = short_names({arm: of | {"mac.queue_limit": "10"} for arm, of in PRODUCT.items()})
    assert apart == ["tcp", "routing.protocol"]
    assert short["cubic routing.protocol=static"] == "cubic static"
    # Where that leaves equal names, the long ones stay.
    assert short_names({"a b": {"x": "1"}, "c": {"x": "1"}})[1] == {"a b": "a b", "c": "c"}


def test_a_comparison_says_what_its_arms_choose() -> None:
    arms = [
        Arm(name, None, of["tcp"], (("routing.protocol", of["routing.protocol"]),))
        for name, of in PRODUCT.items()
    ]
    assert Comparison("mesh", list(PRODUCT), arms).choices == PRODUCT


@pytest.mark.parametrize("letters", ["a", "abcc", "abcdefgh", "a1b1c1d1e1"])
def test_letters_of_the_page_stay_in_the_picture(letters: str) -> None:
    rows = [figures.Row(name, [1.0, 2.0], 1.5, (1.2, 1.8), letters) for name in TCP]
    page = figures.dots(rows, "kb/s", "goodput")
    for picture in re.findall(r"<svg.*?</svg>", page):
        width = float(re.findall(r'width="(\d+)"', picture)[0])
        places = [float(x) for x in re.findall(rf'<text x="([\d.]+)"[^>]*>{letters}</text>', picture)]
        assert len(places) == len(rows)
        assert all(place + figures.LETTER * len(letters) <= width for place in places)
