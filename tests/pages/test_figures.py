"""Figures: what can be read off them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import run_figures, samples
from tests.pages.helpers import all_done


def test_logarithmic_axes_have_few_round_numbers() -> None:
    figure = run_figures.all_plans([("A", 16_000, 14_400), ("B", 86_850, 80_000)], "Comparisons/s")
    assert figure.layout.xaxis.ticktext == ("10k", "20k", "50k", "100k")
    wide = run_figures.all_plans([("A", 2, 3), ("B", 5e7, 4e7)], "Comparisons/s")
    assert wide.layout.yaxis.ticktext == ("10", "100", "1k", "10k", "100k", "1M", "10M")
    close = run_figures.all_plans([("A", 4_434, 4_915), ("B", 4_900, 5_328)], "Comparisons/s")
    assert close.layout.xaxis.ticktext == ("3k", "4k", "5k", "6k", "7k", "8k")


def test_labels_of_near_points_do_not_cover_each_other() -> None:
    near = [(100.0 + place, 100.0 + place) for place in range(5)]
    places = run_figures.label_places(near, ["S1,S2,S3,S4"] * 5, 50.0, 500.0)
    assert len(set(places) - {""}) == len([place for place in places if place])
    assert "" in places, "there is no room for all of them"
    apart = run_figures.label_places([(100.0, 90.0), (1e4, 2e4)], ["A", "B"], 50.0, 5e4)
    assert apart == ["bottom right", "top left"]


DETAILS = {
    "golab-table-7": ["Cost by operator", "Operators", "Difference to baseline", "Changing rates"],
    "auctions": ["Cost by operator", "Operators"],
    "temperature-humidity": ["Mergings", "Memory and CPU", "Cost by operator", "Operators"],
}


@pytest.mark.parametrize("sample", DETAILS)
def test_every_figure_has_a_title_units_and_words(
    app: AppTest, go: Callable[[str], AppTest], sample: str
) -> None:
    found = samples.find(sample)
    assert found is not None
    app.session_state["workload"] = found.workload
    app.session_state["data"], app.session_state["sort"] = found.data, False
    go("plans")
    next(b for b in app.button if b.label.startswith("Run best and")).click().run()
    all_done()
    go("plans")
    for detail in DETAILS[sample]:
        app.button_group(key="plan-detail").set_value(detail).run()
        assert not app.exception
        _check(app)
    go("results")
    assert _check(app) >= 3
    app.button_group(key="operators-as").set_value("Picture").run()
    assert not app.exception
    _check(app)


def _check(app: AppTest) -> int:
    """Look at all figures of the page; how many charts there are."""
    charts = app.get("plotly_chart")
    for chart in charts:
        layout = json.loads(chart.proto.spec)["layout"]
        title = layout["title"]["text"]
        assert len(title) > 8
        assert len(chart.proto.alt) > 30, title
        axes = [layout[name] for name in ("xaxis", "yaxis") if name in layout]
        titled = [axis for axis in axes if axis.get("title", {}).get("text")]
        named = [axis for axis in axes if _of_names(axis) or not _shown(axis)]
        assert len(titled) + len(named) >= len(axes), title
        assert titled or not any(map(_shown, axes)), f"{title}: no axis says its unit"
    for picture in app.get("graphviz_chart"):
        assert len(picture.proto.alt) > 20
    return len(charts)


def _of_names(axis: dict[str, Any]) -> bool:
    """Whether names stand along the axis, and no numbers that need a unit."""
    return axis.get("type") == "category" or not all(
        text.replace(".", "").isdigit() for text in axis.get("ticktext", ["0"])
    )


def _shown(axis: dict[str, Any]) -> bool:
    return axis.get("visible") is not False and axis.get("showticklabels") is not False
