"""What-if: sliders that the verdict follows, scenarios, curves, diagrams, and links to them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.papers import figure_sweep
from pages.parts.start.workload_picture import colours
from pages.parts.whatif import diagram_figures, scenarios, whatif_figures
from pages.parts.workload.link_text import packed
from planner.experiments.registry import experiments
from planner.families.registry import family
from planner.files.data_folder import home
from planner.files.query.text import parse_query
from planner.report.command import read_workload
from planner.whatif.axes import parse_axis
from planner.whatif.sweep_paths import path_in
from planner.whatif.sweeps import sweep
from planner.workload.streams import Stream
from planner.workload.workload import Workload
from tests.pages.helpers import all_done, canvases, charts, fresh_app, labelled, texts

Go = Callable[[str], AppTest]
RATE = "streams.S1.rate"


def _open(go: Go, sample: str = "golab-table-7") -> AppTest:
    app = go("start")
    app.button(key=f"open-{sample}").click().run()
    return go("whatif")


def test_streams_keep_the_colours_of_their_cards(go: Go) -> None:
    app = _open(go, "suspicious-payments")
    expected = colours(app.session_state["workload"])
    (canvas,) = canvases(app)
    drawn = {box["name"]: box["colour"] for box in canvas["boxes"]}
    assert drawn["stream p"] == expected["p"]
    assert drawn["stream l"] == expected["l"]


def test_what_was_before_is_marked_once_a_number_is_changed(go: Go) -> None:
    app = _open(go)
    assert "Before" not in _series(app)
    slider = labelled(app.select_slider, "Rate of S1 (tuples/s)")
    slider.set_value(app.session_state["workload"].stream("S1").rate * 10).run()
    assert "Before" in _series(app)


def _series(app: AppTest) -> list[str | None]:
    """What the bars of the plans show."""
    return [series.get("name") for series in charts(app)["The plans, best first"]["data"]]


def _slider(app: AppTest, title: str) -> object:
    return labelled(app.select_slider, title)


def test_the_verdict_follows_a_slider_and_goes_back(go: Go) -> None:
    app = _open(go)
    before = texts(app)
    slider = labelled(app.select_slider, "Rate of S1 (tuples/s)")
    slider.set_value(slider.options and app.session_state["workload"].stream("S1").rate * 10).run()
    assert not app.exception
    after = texts(app)
    assert after != before
    assert scenarios_of(app) == {RATE: app.session_state["workload"].stream("S1").rate * 10}
    labelled(app.button, "Undo").click().run()
    assert scenarios_of(app) == {}
    assert texts(app) == before


def scenarios_of(app: AppTest) -> dict[str, float]:
    return dict(app.session_state["whatif-set"])


def test_two_scenarios_are_pinned_and_compared(go: Go) -> None:
    app = _open(go)
    labelled(app.button, "Pin").click().run()
    app.session_state["whatif-set"] = {RATE: 200.0}
    app.text_input(key="whatif-name").set_value("Black Friday").run()
    labelled(app.button, "Pin").click().run()
    assert not app.exception
    (table,) = [shown.value for shown in app.dataframe if "Scenario" in shown.value]
    assert list(table["Scenario"]) == ["Today", "Black Friday"]
    assert any("Plan of Today" in head for head in table)
    labelled(app.button, "Show Today").click().run()
    assert scenarios_of(app) == {}


@pytest.mark.parametrize("view", ["One number", "Two numbers", "Ranges"])
def test_axes_are_swept_and_a_link_restores_them(go: Go, view: str) -> None:
    app = _open(go)
    app.session_state["whatif-view-buttons"] = view
    app.session_state["whatif-vary"] = "streams.S3.rate=1:60:40:log"
    app.session_state["whatif-size"] = 10
    app.run()
    assert not app.exception
    assert ("drawn from the ranges" if view == "Ranges" else " win") in texts(app)
    fresh = fresh_app(**app.query_params)
    fresh.run().switch_page("pages/whatif.py").run()
    assert not fresh.exception
    assert fresh.session_state["whatif-view"] == view
    assert fresh.session_state["whatif-vary"].startswith("streams.S3.rate=1:60")


def test_a_cell_is_opened_and_measured(go: Go) -> None:
    app = _open(go)
    app.session_state["whatif-view-buttons"] = "Two numbers"
    app.session_state["whatif-size"] = 10
    app.run()
    rate = labelled(app.select_slider, "Cell: Rate of S1 (tuples/s)")
    rate.set_value(rate.value).run()
    app.button(key="whatif-measure-cell").click().run()
    all_done()
    app.run()
    assert not app.exception
    (table,) = [shown.value for shown in app.dataframe if "Cell" in shown.value]
    assert len(table) in (1, 2)
    app.button(key="whatif-measure-cells").click().run()
    all_done()
    app.run()
    assert not app.exception
    (table,) = [shown.value for shown in app.dataframe if "Cell" in shown.value]
    assert len(set(table["Cell"])) >= 5
    assert "same winner in" in texts(app)
    app.button(key="whatif-open-cell").click().run()
    now = path_in(app.session_state["workload"], RATE).value
    assert now == pytest.approx(rate.value)


def test_changing_rates_are_a_path_through_the_diagram(go: Go) -> None:
    app = _open(go)
    app.session_state["whatif-view-buttons"] = "Two numbers"
    app.session_state["whatif-size"] = 10
    app.run()
    labelled(app.selectbox, "Path of changing rates").set_value("Day and night").run()
    assert not app.exception
    assert "Along the path the best plan changes" in texts(app)
    assert "switching pays" in texts(app)


def test_a_figure_of_a_paper_opens_as_a_sweep(go: Go) -> None:
    app = go("papers")
    app.selectbox(key="paper").set_value("Tran & Lee 2007").run()
    app.button(key="open-sweep").click().run()
    assert not app.exception
    assert app.session_state["whatif-vary"].startswith("queries.Q1.windows.S1=1000:5000")
    assert "wins everywhere" in texts(app)


def test_a_curve_that_varies_more_than_a_number_opens_as_a_sweep(go: Go) -> None:
    app = go("papers")
    app.selectbox(key="paper").set_value("Golab & Özsu 2003").run()
    app.button(key="open-sweep").click().run()
    assert not app.exception
    assert app.session_state["whatif-vary"].startswith("figure:")
    assert "a paper's curve" in texts(app)
    app.switch_page("pages/whatif.py").run()
    labelled(app.button, "Vary a number instead").click().run()
    assert "wins everywhere" in texts(app)


# Of every choice that a link has, a value that is not the usual one.
CHOSEN = {
    "whatif-view": "Two numbers",
    "whatif-vary": "streams.S3.rate=1:60:10:log",
    "whatif-vary-2": "streams.S1.rate=2:90:10:log",
    "whatif-shown": "Regret",
    "whatif-size": 10,
    "whatif-within": 5,
    "whatif-path": "Day and night",
    "whatif-samples": 50,
    "whatif-cell": {"streams.S3.rate": 60.0, "streams.S1.rate": 2.0},
    "whatif-measured": [{"streams.S3.rate": 60.0, "streams.S1.rate": 2.0}],
    "whatif-ranges": {"streams.S2.rate": [1.0, 5.0]},
}


@pytest.mark.parametrize("many", [False, True])
def test_a_link_restores_all_that_was_chosen(go: Go, many: bool) -> None:
    app = _open(go)
    app.session_state["whatif-view-buttons"] = "Two numbers"
    for key, value in CHOSEN.items():
        app.session_state[key] = value
    app.session_state["whatif-shown-buttons"] = "Regret"
    if many:
        every = {f"streams.S{n}.rate": float(n) for n in (1, 2, 3, 4)}
        windows = {f"queries.Q1.windows.S{n}": 50.0 + n for n in (1, 2, 3, 4)}
        app.session_state["whatif-pinned"] = {
            f"Scenario number {n}": {**every, **windows} for n in range(4)
        }
    app.run()
    assert not app.exception
    plan = labelled(app.selectbox, "Plan chosen everywhere")
    plan.set_value(plan.options and app.session_state["whatif-regret"]).run()
    before = texts(app)
    address = app.query_params
    assert ("packed:" in str(address["whatif"])) is many
    fresh = fresh_app(**address)
    fresh.run().switch_page("pages/whatif.py").run()
    assert not fresh.exception
    for key, value in CHOSEN.items():
        assert fresh.session_state[key] == value, key
    assert fresh.session_state["whatif-regret"] == app.session_state["whatif-regret"]
    if many:
        assert fresh.session_state["whatif-pinned"] == app.session_state["whatif-pinned"]
    assert texts(fresh) == before


def test_a_link_with_choices_that_do_not_exist_opens_the_usual_ones(go: Go) -> None:
    app = _open(go)
    wrong = {
        "whatif-size": 37,
        "whatif-within": 3,
        "whatif-regret": "no such plan",
        "whatif-path": "a comet",
        "whatif-cell": {"streams.S1.rate": 1e9, "x": 1},
        "whatif-ranges": {"streams.S1.rate": [1, 50], "nothing": [1, 2], "S": [1], "T": "x"},
        "whatif-samples": 10**9,
    }
    for view in ("Two numbers", "Ranges", "One number"):
        text = json.dumps({**wrong, "whatif-view": view, "whatif-shown": "Regret"})
        address = {**app.query_params, "whatif": text}
        fresh = fresh_app(**{key: str(value) for key, value in address.items()})
        fresh.run().switch_page("pages/whatif.py").run()
        assert not fresh.exception
        assert not fresh.error, [shown.value for shown in fresh.error]


@pytest.mark.parametrize("view", ["Sliders", "One number", "Two numbers", "Ranges"])
def test_all_kinds_of_plans_are_compared_on_every_part(go: Go, view: str) -> None:
    app = _open(go, "bursting-links")
    if not [toggle for toggle in app.toggle if toggle.label == "All kinds of plans"]:
        app = _open(go, "temperature-humidity")
    app.session_state["whatif-view-buttons"] = view
    app.session_state["whatif-size"] = 10
    app.session_state["whatif-across"] = True
    app.run()
    assert not app.exception
    assert not app.error
    said = "all kinds of plans" if view == "One number" else "(sliced chain)"
    if view == "Sliders":
        said = "A join for each query (unshared) ("
    assert said in texts(app)


def test_a_cell_of_all_kinds_of_plans_is_measured(go: Go) -> None:
    app = _open(go, "temperature-humidity")
    app.session_state["whatif-view-buttons"] = "Two numbers"
    app.session_state["whatif-size"] = 10
    app.session_state["whatif-across"] = True
    app.run()
    app.button(key="whatif-measure-cell").click().run()
    all_done()
    app.run()
    assert not app.exception
    (table,) = [shown.value for shown in app.dataframe if "Cell" in shown.value]
    assert all("(" in plan for plan in table["Plan"])


def test_every_winner_has_a_colour_and_a_number_of_its_own() -> None:
    shades = [whatif_figures.colour(rank) for rank in range(32)]
    assert len(set(shades)) == 32
    found = sweep(
        read_workload("sample_data/thirty-six-windows.yaml", None),
        [parse_axis("streams.A.rate=2:20:24:log"), parse_axis("execution.c_sys=0:4:20")],
        family("sliced_chain"),
    )
    diagram = found.diagram
    assert diagram is not None
    assert len(diagram.winners) > 8
    about = whatif_figures.about(found)
    shown = diagram_figures.ShownDiagram(diagram, "Best plan", ("A", "B"), about, "", 0.2)
    figure = diagram_figures.drawn(shown)
    (scale,) = [trace.colorscale for trace in figure.data if trace.type == "heatmap"]
    assert len({shade for _, shade in scale}) == len(diagram.winners)
    named = [trace.name for trace in figure.data if trace.name]
    assert any(f"{len(diagram.winners) - 8} more" in name for name in named)
    numbers = {note.text.partition(":")[0] for note in figure.layout.annotations}
    assert {str(place) for place in range(1, 9)} <= numbers
    assert figure.layout.title.subtitle.text.startswith("Predicted comparisons/s with overhead")
    assert "model: " in figure.layout.title.subtitle.text
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("B", "A")


def test_what_a_link_says_is_checked() -> None:
    assert scenarios._numbers({"a": 1, "b": "x", "c": True, "d": None}) == {"a": 1.0}
    assert scenarios._numbers("nothing") == {}
    assert scenarios._numbers({"a": 10**400}) == {}
    for text in ("packed:", "packed:x", "packed:" + packed("[1]"), packed("{}"), "[" * 10_000):
        scenarios.from_text(text)
    assert scenarios._span([2, 1]) == [1.0, 2.0]
    assert scenarios._span([2, None]) is None


@pytest.mark.slow
def test_every_curve_of_every_figure_can_be_opened() -> None:
    for chosen in experiments():
        offered = figure_sweep._curves(chosen)
        through = {
            frozenset(point.workload.digest for point in curve.points) for curve in offered.values()
        }
        for curve in chosen.curves:
            assert frozenset(point.workload.digest for point in curve.points) in through


def test_a_figure_with_a_point_for_each_query_opens_with_the_load_varied(go: Go) -> None:
    app = go("papers")
    (hammad,) = [name for name in app.selectbox(key="paper").options if "Hammad" in name]
    app.selectbox(key="paper").set_value(hammad).run()
    app.button(key="open-sweep").click().run()
    assert not app.exception
    assert not app.error
    assert app.session_state["whatif-vary"]
    assert " win" in texts(app)


def test_a_curve_is_ranked_by_what_the_page_has_chosen(go: Go) -> None:
    app = go("papers")
    app.selectbox(key="paper").set_value("Golab & Özsu 2003").run()
    app.button(key="open-sweep").click().run()
    assert "Predicted comparisons/s" in texts(app)
    app.session_state["objective"] = "state"
    app.switch_page("pages/whatif.py").run()
    assert not app.exception
    assert "Predicted tuples" in texts(app)


def test_ranges_are_those_of_own_data(go: Go) -> None:
    """The share of rows that pass a filter falls over time: it is a range, as rates are."""
    folder = home() / "uploads" / "falling"
    folder.mkdir(parents=True)
    for name in "AB":
        rows = (f"{n / 10},{n % 20},{int(n % 20 < 19 - n // 150)}" for n in range(2_400))
        (folder / f"{name}.csv").write_text("\n".join(("ts,k,v", *rows)) + "\n")
    app = go("start")
    text = "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k AND A.v = 1"
    app.session_state["workload"] = Workload(
        "falling", (Stream("A", None), Stream("B", None)), (parse_query(text, "Q1"),)
    )
    app.session_state["data"], app.session_state["sort"] = folder, False
    go("whatif")
    app.session_state["whatif-view-buttons"] = "Ranges"
    app.run()
    assert not app.exception
    assert "Selectivity of Q1: A.v = 1: 0.215 to 0.935" in texts(app)
    assert "is the best plan in all 100 workloads drawn from the ranges" in texts(app)
