"""The bound on memory, and what goes with it, on the Workload page."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from streamlit.testing.v1 import AppTest

from pages.parts.workload import memory_settings, stream_tables
from planner.workload.execution import Execution
from tests.pages.helpers import labelled

Go = Callable[[str], AppTest]


def test_a_bound_can_be_set_and_removed(app: AppTest, go: Go) -> None:
    app.button(key="open-worked-star").click().run()
    go("workload")
    app.button_group(key="workload-part").set_value("Execution and run").run()
    field = labelled(app.number_input, "Memory (tuples)")
    field.set_value(6).run()
    assert app.session_state["workload"].execution.memory == 6
    box = next(c for c in app.checkbox if c.label.startswith("Keep only tuples"))
    box.set_value(False).run()
    alpha = labelled(app.number_input, "DGL-S, alpha (s)")
    alpha.set_value(2.0).run()
    shedding = app.session_state["workload"].execution.shedding
    assert (shedding.prefilter, shedding.alpha) == (False, 2.0)
    load = labelled(app.number_input, "Load of the processor")
    load.set_value(1.5).run()
    waiting = labelled(app.number_input, "Tuples that may wait")
    assert waiting.value == 100
    waiting.set_value(7).run()
    execution = app.session_state["workload"].execution
    assert (execution.utilisation, execution.shedding.buffer) == (1.5, 7)
    removing = next(b for b in app.button if b.label.startswith("Remove the bound"))
    removing.click().run()
    assert app.session_state["workload"].execution == Execution()
    field = labelled(app.number_input, "Memory (tuples)")
    field.set_value(8).run()
    assert app.session_state["workload"].execution.memory == 8


def test_memory_is_split_and_rows_are_found_as_the_table_says() -> None:
    frame = pd.DataFrame(
        {
            "Stream": ["R", "S"],
            "Tuples kept": pd.array([3, None], dtype="Int64"),
            "Rows found by": ["index", "scan"],
        }
    )
    changed = memory_settings.with_split({"execution": {"memory": 4}}, frame)
    shedding = changed["execution"]["shedding"]
    assert shedding == {"split": {"R": 3}, "access": {"R": "index", "S": "scan"}}
    frame["Tuples kept"], frame["Rows found by"] = pd.array([None, None], dtype="Int64"), "index"
    assert memory_settings.with_split(changed, frame) == {"execution": {"memory": 4}}


def test_streams_have_a_phase_and_an_importance() -> None:
    parts = {"streams": [{"name": "A", "importance": "v"}, {"name": "B", "arrivals": "regular"}]}
    frame = pd.DataFrame(
        [("A", "regular", 0.0, None), ("B", "regular", None, "w")],
        columns=["name", "arrivals", "phase", "importance"],
    )
    first, second = stream_tables.with_streams(parts, frame)["streams"]
    assert first == {"name": "A", "arrivals": {"regular": {"phase": 0}}}
    assert second == {"name": "B", "arrivals": "regular", "importance": "w"}


def test_rows_of_a_relation_can_be_all_different() -> None:
    frame = pd.DataFrame([("F", 9, True)], columns=["name", "rows", "distinct_rows"])
    (relation,) = stream_tables.with_relations({"relations": [{"name": "F"}]}, frame)["relations"]
    assert relation == {"name": "F", "rows": 9, "distinct_rows": True}
