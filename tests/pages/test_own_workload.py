"""A workload from nothing, and from dropped files."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.helpers import DROP, labelled, reloaded, table_with, texts

Go = Callable[[str], AppTest]
START = 1_772_000_000
# German: semicolons, decimal commas, Windows-1252, days first.
ORDERS = "Bestellt am;Kunde;Größe\n" + "".join(
    f"{1 + n // 20:02d}.03.2026 1{n % 10}:00:00;{n % 30};{n},5\n" for n in range(200)
)
VIEWS = "at_ms,customer\n" + "".join(f"{1000 * (START + 4000 * n)},{n % 30}\n" for n in range(200))
PAYMENTS = "".join(
    json.dumps({"paid_at": f"2026-03-{1 + n // 20:02d}T1{n % 10}:00:00Z", "customer": n % 30})
    + "\n"
    for n in range(200)
)
FILES = [
    ("orders.csv", ORDERS.encode("cp1252"), "text/csv"),
    ("page views.csv", VIEWS.encode(), "text/csv"),
    ("payments.jsonl", PAYMENTS.encode(), "application/json"),
]


def press(app: AppTest, label: str) -> AppTest:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception
    return app


def drop(app: AppTest, *files: tuple[str, bytes, str]) -> AppTest:
    labelled(app.file_uploader, DROP).set_value(list(files)).run()
    assert not app.exception
    return app


def test_three_files_become_a_workload(app: AppTest, go: Go) -> None:
    drop(app, *FILES)
    shown = texts(app)
    assert "FROM orders [RANGE" in shown
    assert "orders.Kunde = " in shown
    assert "CSV separated by semicolons, decimal commas, Windows-1252" in shown
    assert "cheaper than the worst plan" in shown or "cost the same" in shown
    assert [b.value.format for b in app.selectbox if b.label == "Time"] == [
        "dmy",
        "ms",
        "timestamp",
    ]
    press(app, "See the plans")
    workload = app.session_state["workload"]
    assert [stream.name for stream in workload.streams] == ["orders", "page_views", "payments"]
    assert "your files" in texts(app)
    # What was read from the data is in the tables.
    go("workload")
    assert table_with(app, "rate")["measured"].notna().all()
    again = reloaded(app)
    assert again.session_state["data"] == app.session_state["data"]


def test_a_rejected_file_keeps_the_others(app: AppTest) -> None:
    bad = ("notes.csv", b"\x00\x01binary", "text/csv")
    drop(app, FILES[0], bad, FILES[2])
    assert "notes.csv: is not text" in texts(app).replace("*", "")
    assert "FROM orders" in texts(app)
    alone = ("alone.csv", b"time,x\n1,2.5\n2,3.5\n", "text/csv")
    drop(app, FILES[0], alone, FILES[2], FILES[0])
    assert "Left out, since no column can be joined with another file: alone.csv." in texts(app)
    assert "orders_2 [RANGE" in texts(app)
    drop(app, bad)
    assert not [b for b in app.button if b.label == "See the plans"]
    drop(app, FILES[0])
    assert "one file alone cannot be joined; add another" in texts(app)


def test_the_time_of_a_file_can_be_changed(app: AppTest) -> None:
    customers = "customer,since\n" + "".join(f"{n},{2000 + n % 20}\n" for n in range(30))
    drop(app, FILES[1], FILES[2], ("customers.csv", customers.encode(), "text/csv"))
    assert "customers · table without times" in texts(app).replace("*", "")
    assert ", customers" in texts(app)
    time_of = [box for box in app.selectbox if box.label == "Time"]
    assert time_of[2].value is None
    time_of[1].select_index(0).run()
    assert not app.exception
    assert "payments · table without times" in texts(app).replace("*", "")


def test_a_workload_from_nothing(app: AppTest, go: Go) -> None:
    press(app, "New workload")
    assert "Add a stream: its name" in texts(app)
    for page in ("plans", "run", "results"):
        go(page)
        assert "This workload has no stream yet." in texts(app)
    go("workload")
    labelled(app.text_input, "Stream").set_value("orders")
    press(app, "Add stream")
    assert "Add a second stream to join orders with" in texts(app)
    again = reloaded(app).switch_page("pages/workload.py").run()
    assert "Add a second stream to join orders with" in texts(again)

    labelled(app.text_input, "Stream").set_value("orders")
    press(app, "Add stream")
    assert "the name 'orders' occurs twice" in texts(app).replace("*", "")
    labelled(app.text_input, "Stream").set_value("payments")
    labelled(app.number_input, "Tuples per second").set_value(50.0)
    press(app, "Add stream")
    workload = app.session_state["workload"]
    assert (workload.execution.join, workload.run.duration) == ("hash", 120)
    assert labelled(app.text_area, "Q1").value == (
        "SELECT *\nFROM orders [RANGE 1 MINUTE], payments [RANGE 1 MINUTE]\n"
        "WHERE orders.key = payments.key"
    )
    press(app, "Add stream")
    assert "payments.key = S1.key" in labelled(app.text_area, "Q1").value
    assert "S1" in texts(go("plans"))


def test_a_new_workload_can_be_left(app: AppTest) -> None:
    app.button(key="open-golab-table-7").click().run()
    app.switch_page("pages/start.py").run()
    press(app, "New workload")
    app.switch_page("pages/workload.py").run()
    next(b for b in app.button if b.label.startswith("Back to Golab")).click().run()
    assert not app.exception
    assert "**Golab & Özsu, Table 7** · nested-loop join" in texts(app)
    assert [area for area in app.text_area if area.value.startswith("SELECT")]


def test_all_mistakes_are_shown_at_once_by_name(go: Go) -> None:
    app = go("workload")
    broken = app.session_state["draft"]["parts"]
    streams = [dict(part) for part in broken["streams"]]
    streams[1]["rate"] = -3
    streams[2]["attributes"] = {"attr": {"distinct": 0}}
    app.session_state["draft"] = app.session_state["draft"] | {
        "parts": broken | {"streams": streams}
    }
    labelled(app.text_area, "Q1").set_value("SELECT * FROM S1 [RANGE fifty]").run()
    assert not app.exception
    shown = texts(app).replace("*", "")
    assert "S2: rate must be above 0, got -3" in shown
    assert "S3.attr: distinct values must be from 1" in shown
    assert "query Q1, line 1: expected a length of time" in shown
    assert (
        "Not saved: fix 3 errors. Other pages show Golab & Özsu, Table 5 as it was before." in shown
    )


@pytest.mark.parametrize("name", ["<script>.csv", "=HYPERLINK(1).csv", "../../etc/passwd.csv"])
def test_odd_names_of_files_are_names_of_ours(app: AppTest, name: str) -> None:
    drop(app, (name, FILES[1][1], "text/csv"), FILES[2])
    press(app, "See the plans")
    folder = app.session_state["data"]
    assert all(file.stem.isidentifier() for file in folder.iterdir())


def test_all_that_is_wrong_with_a_new_stream_is_said_at_once_and_what_was_typed_stays(
    app: AppTest,
) -> None:
    press(app, "New workload")
    app.switch_page("pages/workload.py").run()
    labelled(app.text_input, "Stream").set_value("orders")
    labelled(app.number_input, "Tuples per second").set_value(0.0)
    labelled(app.text_input, "Key attribute").set_value("")
    press(app, "Add stream")
    assert "must be above 0, got 0" in texts(app)
    assert texts(app).count(":material/error:") == 2
    assert labelled(app.text_input, "Stream").value == "orders"
    labelled(app.number_input, "Tuples per second").set_value(5.0)
    labelled(app.text_input, "Key attribute").set_value("k")
    press(app, "Add stream")
    assert ":material/error:" not in texts(app)
    assert labelled(app.text_input, "Stream").value == ""
