"""The history: runs kept, listed and read again, whatever else happens to the file."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.plan.cost import Quality
from runtime.cli.printing import run_text
from runtime.runs.history import History, delete_run, mark_interrupted
from runtime.runs.processes import Process, process
from runtime.runs.run_json import run_document, run_from_json, run_to_json
from tests.runtime.run_records import a_run


@pytest.fixture
def history(tmp_path: Path) -> History:
    """An empty history."""
    return History(tmp_path / "deep" / "history.sqlite")


def test_a_run_is_read_back_as_it_was_kept(history: History) -> None:
    for run in (a_run("measured"), a_run("failed", status="failed", error="no Java")):
        history.save(run)
        assert history.get(run.id) == run
        assert json.dumps(run_document(history.get(run.id)), allow_nan=False)


def test_qualities_are_kept_and_printed_predicted_beside_measured(history: History) -> None:
    run = a_run("one")
    assert run.measurement is not None
    predicted, measured = Quality(delay_ms=40.0), Quality(delay_ms=55.0, recall=0.9)
    run = replace(
        run,
        estimate=replace(run.estimate, qualities={"Q1": predicted}),
        measurement=replace(run.measurement, qualities={"Q1": measured}),
    )
    history.save(run)
    assert history.get("one") == run
    assert run_document(history.get("one"))["queries"] == {
        "Q1": {"predicted": predicted.as_dict(), "measured": measured.as_dict()}
    }


def test_schedules_are_kept_and_said_where_there_are_any(history: History) -> None:
    run = a_run("one")
    assert run.measurement is not None
    assert "schedules" not in run_document(run)
    figures = {"queries": {"Q1": {"delay_ms": 40.0}}, "busy": 0.7, "queue_max": 3}
    run = replace(run, measurement=replace(run.measurement, schedules={"MQT": figures}))
    history.save(run)
    assert history.get("one") == run
    assert run_document(history.get("one"))["schedules"] == {"MQT": figures}


def test_runs_are_listed_newest_first_by_workload_and_by_status(history: History) -> None:
    older, newer = a_run("older", started=100.0), a_run("newer", started=200.0, seed=2)
    history.save(older)
    history.save(newer)
    assert history.runs() == [newer, older]
    assert history.runs(most=1) == [newer]
    assert history.runs(older.request.workload.digest) == [older]
    assert history.runs(status="running") == []


def test_a_record_replaces_the_earlier_one_of_its_id(history: History) -> None:
    running = replace(a_run("one"), status="running", finished=None, measurement=None)
    history.save(running, process(os.getpid()))
    assert history.processes() == {"one": process(os.getpid())}
    history.save(a_run("one"))
    assert history.processes() == {}
    assert [run.status for run in history.runs()] == ["finished"]


def test_an_unknown_run_is_said(history: History) -> None:
    with pytest.raises(RunError, match="no run 'x'"):
        history.get("x")


def test_a_file_of_a_newer_sluice_is_left_alone(history: History) -> None:
    history.save(a_run("kept"))
    with sqlite3.connect(history.file) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(RunError, match=r"newer Sluice \(version 99\); update Sluice"):
        history.runs()


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 200])
def test_a_damaged_file_is_set_aside(history: History, content: bytes) -> None:
    history.file.parent.mkdir()
    history.file.write_bytes(content)
    assert history.runs() == []
    (aside,) = history.file.parent.glob("history.sqlite.damaged-*")
    assert aside.read_bytes() == content
    history.save(a_run("after"))
    assert [run.id for run in history.runs()] == ["after"]


@pytest.mark.parametrize("begin", [0, 100], ids=["its header", "its pages"])
def test_what_a_run_found_is_kept_where_the_file_was_damaged_meanwhile(
    history: History, begin: int
) -> None:
    history.save(a_run("before"))
    assert history.count() == 1
    # This process has found the file to be sound by now, and does not read all of it again.
    with history.file.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(begin)
        file.write(b"\xa5" * (size - begin))
    history.save(a_run("after"))
    assert [run.id for run in history.runs()] == ["after"]
    (aside,) = history.file.parent.glob("history.sqlite.damaged-*")
    assert aside.stat().st_size == size


@pytest.mark.parametrize("record", ["", "{", "null", "[1]", '{"id": 3}', b"\xff\xfe{", "[" * 9000])
def test_a_damaged_record_hides_no_other(history: History, record: str | bytes) -> None:
    history.save(a_run("sound", started=1.0))
    history.save(replace(a_run("damaged", started=2.0), status="running"))
    with sqlite3.connect(history.file) as connection:
        text = "CAST(? AS TEXT)"
        connection.execute(f"UPDATE runs SET record = {text} WHERE id = 'damaged'", (record,))
    connection.close()
    assert mark_interrupted(history) == ["damaged"]
    assert [run.id for run in history.runs()] == ["sound"]
    assert [run.status for run in history.summaries()] == ["interrupted", "finished"]
    with pytest.raises(RunError, match="run the plan again"):
        history.get("damaged")
    delete_run("damaged", history)
    assert [run.id for run in history.summaries()] == ["sound"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="the history cannot be used"):
        History(tmp_path / "file" / "history.sqlite").runs()


def test_many_threads_use_it_at_once(history: History) -> None:
    def save(number: int) -> int:
        history.save(a_run(f"run-{number}", started=float(number)))
        return len(history.runs())

    with ThreadPoolExecutor(8) as threads:
        assert max(threads.map(save, range(40))) == 40


@pytest.mark.parametrize(
    "change",
    [
        {"workload": "version: 99\n"},
        {"label": "S9,S1"},
        {"request": {"of": "another version"}},
        {"measured": {"costs": {}}},
        {"started": None, "predicted": {"x": {"new_field": 1}}},
    ],
    ids=["workload", "label", "request", "measured", "predicted"],
)
def test_a_run_of_another_version_is_left_out_and_hides_no_other(
    history: History, change: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    history.save(a_run("mine"))
    history.save(a_run("theirs"))
    with sqlite3.connect(history.file) as connection:
        (record,) = connection.execute("SELECT record FROM runs WHERE id = 'theirs'").fetchone()
        changed = json.dumps(json.loads(record) | change)
        connection.execute("UPDATE runs SET record = ? WHERE id = 'theirs'", (changed,))
    connection.close()
    with caplog.at_level(logging.WARNING):
        assert [run.id for run in history.runs()] == ["mine"]
    assert "theirs: was recorded by another version of Sluice" in caplog.text
    with pytest.raises(RunError, match="another version of Sluice and cannot be read"):
        history.get("theirs")


def test_runs_whose_process_is_gone_are_marked_as_interrupted(history: History) -> None:
    running = replace(a_run("dead"), status="running", finished=None, measurement=None)
    # No process has this id: it is beyond what the kernel gives out.
    history.save(running, Process(2**22 + 1, None))
    here = process(os.getpid())
    history.save(replace(running, id="alive"), here)
    assert here.began is not None
    # Its number was given again to another process.
    history.save(replace(running, id="reused"), here._replace(began=here.began - 1))
    assert set(mark_interrupted(history)) == {"dead", "reused"}
    assert history.get("dead").status == "interrupted"
    assert history.get("alive").status == "running"


def test_a_part_of_a_run_is_kept_and_printed_as_such() -> None:
    whole = a_run("part")
    assert whole.measurement is not None
    part = replace(whole.measurement, reached=12.5, answers={}, rows={})
    run = replace(whole, status="cancelled", error="cancelled by its user", measurement=part)
    History().save(run)
    assert History().get("part") == run
    text = run_text(run)
    assert "interrupted after 12.5 s of stream time; counts until then:" in text
    assert "Q1: 7 results, no answer" in text
    assert run_document(run)["reached"] == 12.5
    assert "reached" not in run_document(whole)
    older = run_to_json(whole)
    del older["measured"]["reached"]
    assert run_from_json(older) == whole
