"""The workload page: edits come into force when valid, and nothing is lost when they are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import samples
from pages.parts.workload import own_data, stream_tables
from planner.errors import PlanError
from planner.workload.workload import Workload
from tests.pages.helpers import labelled, table_with, texts

Go = Callable[[str], AppTest]
FOLDER = "Or a folder with one CSV or Parquet file per stream"
QUERY = "SELECT * FROM S1 [RANGE 100], S2 [RANGE 50] WHERE S1.attr = S2.attr"


def in_force(app: AppTest) -> Workload:
    workload: Workload = app.session_state["workload"]
    return workload


def test_a_changed_query_changes_the_plans(go: Go) -> None:
    app = go("workload")
    labelled(app.text_area, "Q1").set_value(QUERY).run()
    assert not app.exception
    assert len(in_force(app).queries[0].sources) == 2
    assert "orders cost the same" in texts(go("plans"))


def test_a_mistake_is_pointed_at_and_nothing_is_lost(go: Go) -> None:
    app = go("workload")
    before = in_force(app)
    wrong = QUERY.replace("RANGE 50", "RANGE fifty")
    labelled(app.text_area, "Q1").set_value(wrong).run()
    assert not app.exception
    assert "a length of time" in texts(app)
    assert "**query Q1, line 1**: " in texts(app)
    caret = next(code.value for code in app.code if "^" in code.value)
    line, mark = caret.splitlines()
    assert line[mark.index("^") :].startswith("fifty")
    assert labelled(app.text_area, "Q1").value == wrong
    assert in_force(app) == before

    go("plans")
    go("workload")
    assert labelled(app.text_area, "Q1").value == wrong

    labelled(app.text_area, "Q1").set_value(QUERY).run()
    assert not app.error
    assert in_force(app) != before


def test_a_wrong_window_outlives_another_mistake(go: Go) -> None:
    app = go("workload")
    query = in_force(app).queries[0]
    typed = {source.alias: str(source.window) for source in query.sources} | {"S2": "RANGE banana"}
    app.session_state["typed_windows"] = (query, typed)
    app.session_state["bases"] = {}
    text = labelled(app.text_area, "Q1").value

    def windows() -> list[str]:
        return next(list(t.value["Window"]) for t in app.dataframe if "Window" in t.value)

    for written in (text, "SELECT", text):
        labelled(app.text_area, "Q1").set_value(written).run()
        assert not app.exception
        assert windows()[1] == "RANGE banana"
        assert app.error
    assert in_force(app).queries[0] == query


def test_a_draft_can_be_discarded(go: Go) -> None:
    app = go("workload")
    text = labelled(app.text_area, "Q1").value
    labelled(app.text_area, "Q1").set_value("SELECT").run()
    assert app.error
    next(b for b in app.button if b.label == "Discard changes").click().run()
    assert not app.error
    assert labelled(app.text_area, "Q1").value == text


def test_a_query_can_be_added_and_removed(go: Go) -> None:
    app = go("workload")
    next(b for b in app.button if b.label == "Add a query").click().run()
    assert [query.name for query in in_force(app).queries] == ["Q1", "Q2"]
    next(b for b in app.button if b.label == "Remove the last query").click().run()
    assert [query.name for query in in_force(app).queries] == ["Q1"]


def section(app: AppTest, name: str) -> AppTest:
    app.button_group(key="workload-part").set_value(name).run()
    assert not app.exception
    return app


def test_hash_for_all_changes_the_costs(go: Go) -> None:
    app = section(go("workload"), "Execution and run")
    next(b for b in app.button if b.label == "All hash").click().run()
    assert in_force(app).execution.join == "hash"


def test_run_settings_are_the_workloads(go: Go) -> None:
    app = section(go("workload"), "Execution and run")
    labelled(app.number_input, "Seed").set_value(11).run()
    assert in_force(app).run.seed == 11
    labelled(app.number_input, "Warm-up (s of stream time)").set_value(5.0).run()
    assert "shorter than the longest window (200 s)" in texts(app)


def test_a_broken_file_stays_in_its_box(go: Go) -> None:
    app = section(go("workload"), "File")
    before = in_force(app)
    broken = labelled(app.text_area, "Workload file (YAML)").value.replace("rate: 10", "rate: ten")
    labelled(app.text_area, "Workload file (YAML)").set_value(broken).run()
    assert not app.exception
    assert "streams[0].rate" in texts(app)
    assert in_force(app) == before
    section(go("workload"), "File")
    assert labelled(app.text_area, "Workload file (YAML)").value == broken
    labelled(app.text_area, "Workload file (YAML)").set_value(
        broken.replace("rate: ten", "rate: 12")
    ).run()
    assert in_force(app).stream("S1").rate == 12


def test_own_data_say_where_numbers_come_from(app: AppTest, go: Go) -> None:
    app.button(key="open-sensors-own-data").click().run()
    section(go("workload"), "Own data")
    table = table_with(app, "Statistic")
    assert "inferred from data" in set(table["Source"])


def test_a_typed_folder_must_lie_under_the_data_folder(
    go: Go, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    app = section(go("workload"), "Own data")
    labelled(app.text_input, FOLDER).set_value("/etc")
    next(b for b in app.button if b.label == "Use this folder").click().run()
    assert not app.exception
    assert "must be inside" in texts(app)

    monkeypatch.setenv("SLUICE_DATA_ROOT", str(samples.FOLDER))
    assert own_data.allowed_folder("sensors") == samples.FOLDER / "sensors"
    for outside in ("..", "/", "", "sensors/../..", "\0"):
        with pytest.raises(PlanError):
            own_data.allowed_folder(outside)
    link = tmp_path / "root"
    link.mkdir()
    (link / "out").symlink_to("/etc")
    monkeypatch.setenv("SLUICE_DATA_ROOT", str(link))
    with pytest.raises(PlanError, match="must be inside"):
        own_data.allowed_folder("out")


def test_dropped_files_become_the_data_of_the_open_workload(go: Go) -> None:
    app = section(go("workload"), "Own data")
    rows = "".join(f"{n},{n % 5}\n" for n in range(40))
    files = [(f"S{n}.csv", f"ts,attr\n{rows}".encode(), "text/csv") for n in range(1, 5)]
    app.file_uploader(key="dropped-here").set_value(files[:3]).run()
    assert not app.exception
    assert "Missing: S4." in texts(app)
    app.file_uploader(key="dropped-here").set_value(files).run()
    next(b for b in app.button if b.label == "Use with the open workload").click().run()
    assert not app.exception
    folder = app.session_state["data"]
    assert sorted(file.name for file in folder.iterdir()) == [f"S{n}.parquet" for n in range(1, 5)]
    assert folder.stat().st_mode & 0o077 == 0


PARTS = {
    "version": 1,
    "streams": [
        {"name": "A", "rate": 5, "attributes": {"k": {"values": ["x", "y"]}}, "importance": "k"},
        {"name": "B", "rate": 2, "arrivals": "regular", "attributes": {"k": {"distinct": 9}}},
    ],
    "queries": [],
}


def streams(*rows: tuple[object, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["name", "rate", "arrivals", "burst", "tuple_bytes"])


def test_a_renamed_stream_keeps_what_the_table_does_not_show() -> None:
    frame = streams(("A2", 5.0, "poisson", None, None), ("B", 2.5, "pareto", 4.0, None))
    changed = stream_tables.with_streams(PARTS, frame)["streams"]
    assert changed[0] == {**PARTS["streams"][0], "name": "A2"}
    assert changed[1]["arrivals"] == {"pareto": {"burst": 4}}
    assert changed[1]["rate"] == 2.5


def test_rows_can_be_added_and_emptied() -> None:
    frame = streams(("A", None, "poisson", None, None))
    frame.loc[7] = [None, 3.0, None, None, None]
    changed = stream_tables.with_streams(PARTS, frame)["streams"]
    assert "rate" not in changed[0]
    assert changed[1] == {"name": "", "rate": 3}


def test_attributes_keep_their_values_and_refuse_twins() -> None:
    columns = ["source", "attribute", "distinct", "zipf", "type"]
    rows = [("A", "k", 2.0, 1.0, "string"), ("B", "k", 12.0, None, "integer")]
    changed = stream_tables.with_attributes(PARTS, pd.DataFrame(rows, columns=columns))
    values = {"values": ["x", "y"], "distribution": {"zipf": 1}}
    assert changed["streams"][0]["attributes"] == {"k": values}
    assert changed["streams"][1]["attributes"] == {"k": {"distinct": 12}}
    twins = pd.DataFrame([*rows, ("B", "k", 3.0, None, "integer")], columns=columns)
    with pytest.raises(PlanError, match="two attributes"):
        stream_tables.with_attributes(PARTS, twins)


def test_equal_methods_are_written_once() -> None:
    def written(*rows: tuple[str, str, str]) -> object:
        frame = pd.DataFrame(rows, columns=["Source", "Join", "Buckets"])
        return stream_tables.with_execution(PARTS, frame)["execution"]

    assert written(("A", "nested", ""), ("B", "nested", "")) == {"join": "nested"}
    assert written(("A", "hash", "5"), ("B", "hash", "5")) == {"join": "hash", "buckets": 5}
    mixed = {"join": {"A": "hash", "B": "nested"}, "buckets": "per-value"}
    assert written(("A", "hash", ""), ("B", "nested", "")) == mixed


def test_a_dangling_link_in_a_data_folder_is_one_message(
    go: Go, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "S1.csv").symlink_to(tmp_path / "nothing")
    monkeypatch.setenv("SLUICE_DATA_ROOT", str(tmp_path))
    app = section(go("workload"), "Own data")
    labelled(app.text_input, FOLDER).set_value("linked")
    next(b for b in app.button if b.label == "Use this folder").click().run()
    assert not app.exception
    assert "no file S1.csv" in texts(app).replace("\\", "")


def test_a_table_that_need_not_change_stays_as_it_is(go: Go) -> None:
    """The browser would put a new one in its place, and lose what is being typed into it."""
    app = go("workload")

    def keys() -> dict[str, str]:
        return {name: kept["key"] for name, kept in app.session_state["bases"].items()}

    before = keys()
    text = labelled(app.text_area, "Q1").value
    labelled(app.text_area, "Q1").set_value(
        text.replace("S3.attr = S4.attr", "S2.attr = S4.attr")
    ).run()
    assert in_force(app).queries[0].predicates[2].left.alias == "S2"
    assert keys() == before
    labelled(app.text_area, "Q1").set_value(text.replace("RANGE 200", "RANGE 210")).run()
    changed = {name for name, key in keys().items() if key != before[name]}
    assert changed == {"windows-Q1"}
    windows = next(list(t.value["Window"]) for t in app.dataframe if "Window" in t.value)
    assert windows[2] == "RANGE 210"
