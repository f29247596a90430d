"""What a reload finds again beside the workload: drafts with mistakes, and the choices of a run."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from pages.parts.shared import links
from planner.workload.workload import Workload
from runtime.data.folders import home
from tests.pages.helpers import labelled, reloaded, texts

Go = Callable[[str], AppTest]
WRONG = "SELECT * FROM S1 [RANGE fifty]"


def on(app: AppTest, page: str) -> AppTest:
    """The app on another page."""
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app


def in_force(app: AppTest) -> Workload:
    workload: Workload = app.session_state["workload"]
    return workload


def test_a_draft_with_a_mistake_is_found_again(go: Go) -> None:
    app = go("workload")
    labelled(app.text_area, "Q1").set_value(WRONG).run()
    before = in_force(app)
    again = on(reloaded(app), "workload")
    assert labelled(again.text_area, "Q1").value == WRONG
    assert "Not saved: fix 1 error" in texts(again)
    assert in_force(again).digest == before.digest
    next(b for b in again.button if b.label == "Discard changes").click().run()
    assert "unfinished" not in again.query_params


def test_a_broken_file_and_a_wrong_window_are_found_again(go: Go) -> None:
    app = go("workload")
    query = in_force(app).queries[0]
    typed = {source.alias: str(source.window) for source in query.sources} | {"S2": "RANGE banana"}
    app.session_state["typed_windows"] = (query, typed)
    app.session_state["bases"] = {}
    app.session_state["drafts"] = {"file": "version: 9"}
    app.run()
    again = on(reloaded(app), "workload")
    windows = next(list(t.value["Window"]) for t in again.dataframe if "Window" in t.value)
    assert windows[1] == "RANGE banana"
    again.button_group(key="workload-part").set_value("File").run()
    assert labelled(again.text_area, "Workload file (YAML)").value == "version: 9"


def test_the_choices_of_a_run_are_found_again(go: Go) -> None:
    app = go("run")
    labelled(app.multiselect, "Plans").set_value(["S1,S2,S3,S4", "S2,S1,S3,S4"])
    app.number_input(key="repeats").set_value(3)
    app.number_input(key="most-seconds").set_value(77.0)
    app.number_input(key="most-disk").set_value(500.0)
    app.selectbox(key="pace").select("real time").run()
    again = on(reloaded(app), "run")
    assert labelled(again.multiselect, "Plans").value == ["S1,S2,S3,S4", "S2,S1,S3,S4"]
    assert again.number_input(key="repeats").value == 3
    assert again.number_input(key="most-seconds").value == 77.0
    assert again.number_input(key="most-disk").value == 500.0
    assert again.selectbox(key="pace").value == "real time"
    again.radio(key="way").set_value("replay").run()
    assert on(reloaded(again), "run").radio(key="way").value == "replay"


def test_choices_that_are_none_any_more_are_passed_over(go: Go) -> None:
    app = go("run")
    app.number_input(key="repeats").set_value(3).run()
    text = '{"run": {"repeats": 9999, "way": "uphill", "plans": ["no plan"], "pace": 3}}'
    app.query_params["unfinished"] = links._keep(text, "unfinished")
    again = on(reloaded(app), "run")
    assert again.number_input(key="repeats").value == 1
    assert again.radio(key="way").value == "stream"
    assert len(labelled(again.multiselect, "Plans").value) == 2
    app.query_params["unfinished"] = links._keep("[", "unfinished")
    assert "is damaged" in texts(reloaded(app))


def test_a_damaged_text_counts_as_absent(go: Go) -> None:
    app = go("run")
    app.number_input(key="repeats").set_value(3).run()
    (kept,) = (home() / "unfinished").glob("*.yaml")
    kept.write_bytes(b"\xff")
    assert "is no longer kept here" in texts(reloaded(app))


def test_an_edited_sample_has_another_name_until_it_is_named(go: Go) -> None:
    app = go("workload")
    name = in_force(app).name
    first = labelled(app.text_area, "Q1").value
    labelled(app.text_area, "Q1").set_value(first.replace("100", "110")).run()
    assert in_force(app).name == f"{name} (edited)"
    assert f"**{name} (edited)**" in texts(app)
    assert in_force(reloaded(app)).name == f"{name} (edited)"
    labelled(app.text_area, "Q1").set_value(first).run()
    assert in_force(app).name == name
    labelled(app.text_area, "Q1").set_value(first.replace("100", "110")).run()
    box = next(box for box in app.text_input if box.label == "Name of the workload")
    box.set_value("My own").run()
    assert in_force(app).name == "My own"
    labelled(app.text_area, "Q1").set_value(first.replace("100", "120")).run()
    assert in_force(app).name == "My own"
