"""The history as a list: summaries, search, notes, the pinned baseline, deleting, older files."""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from runtime.data.folders import answers_home, run_folder
from runtime.runs.history import LONGEST_NOTE, History, delete_run
from runtime.runs.history_schema import SCHEMA_VERSION
from runtime.runs.processes import process
from runtime.runs.run_summary import RunFilter, answer_digest
from tests.runtime.run_records import a_run

OF_VERSION_1 = Path(__file__).with_name("history-1.sql")


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """Three runs: an old one, a stream that failed, and one of another workload."""
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    kept = History()
    failed = a_run("b", started=200.0, status="failed", error="the disk is FULL")
    kept.save(a_run("a", started=100.0))
    kept.save(replace(failed, request=replace(failed.request, way="replay")))
    other = a_run("c", started=300.0, seed=2)
    named = replace(other.request, workload=replace(other.request.workload, name="Straße 7"))
    kept.save(replace(other, request=named))
    return kept


def ids(history: History, **wanted: str) -> str:
    """The ids of the runs that are wanted, in one word."""
    return "".join(run.id for run in history.summaries(RunFilter(**wanted)))


def test_a_summary_says_what_the_record_says(history: History) -> None:
    newest, _, oldest = history.summaries()
    run = history.get("a")
    assert run.measurement is not None
    assert (oldest.id, oldest.status, oldest.way, oldest.backend) == (
        "a",
        "finished",
        "stream",
        "kernels",
    )
    assert oldest.predicted == pytest.approx(16_000)
    assert oldest.measured == sum(cost.comparisons for cost in run.measurement.costs.values())
    assert (oldest.kernel_seconds, oldest.engine_seconds, oldest.total_seconds) == (1.0, 2.0, 3.0)
    assert oldest.answer == answer_digest(run.measurement.answers) == newest.answer
    assert history.summaries()[1].measured is None


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, "cba"),
        ({"status": "finished"}, "ca"),
        ({"way": "replay"}, "b"),
        ({"family": "sliced_chain"}, ""),
        ({"search": "STRASSE"}, "c"),
        ({"search": "full disk"}, "b"),
        ({"search": "s1,s2"}, "cba"),
        ({"search": "%"}, ""),
        ({"workload": "Straße 7", "status": "finished"}, "c"),
    ],
)
def test_runs_are_searched_and_filtered(
    history: History, wanted: dict[str, str], found: str
) -> None:
    assert ids(history, **wanted) == found
    assert history.count(RunFilter(**wanted)) == len(found)


def test_a_long_list_goes_on(history: History) -> None:
    pages = [history.summaries(most=2, offset=skipped) for skipped in (0, 2, 4)]
    assert [[run.id for run in page] for page in pages] == [["c", "b"], ["a"], []]


def test_notes_are_kept_searched_and_outlive_a_new_record(history: History) -> None:
    history.note("a", "  the run for the talk ")
    history.save(a_run("a", started=100.0))
    assert history.summaries(RunFilter(search="talk"))[0].note == "the run for the talk"
    with pytest.raises(RunError, match=f"at most {LONGEST_NOTE:,} are kept"):
        history.note("a", "x" * (LONGEST_NOTE + 1))
    with pytest.raises(RunError, match="no run 'z'"):
        history.note("z", "")


def test_each_workload_has_one_baseline(history: History) -> None:
    history.save(a_run("d", started=50.0))
    for run_id in ("a", "c", "d"):
        history.pin(run_id)
    assert [run.id for run in history.summaries() if run.baseline] == ["c", "d"]
    history.unpin("d")
    assert [run.id for run in history.summaries() if run.baseline] == ["c"]
    with pytest.raises(RunError, match="b: has nothing measured to compare with"):
        history.pin("b")
    with pytest.raises(RunError, match="no run 'z'"):
        history.pin("z")


def test_a_deleted_run_takes_its_own_files_with_it(history: History, tmp_path: Path) -> None:
    kept, elsewhere = answers_home() / "answer", tmp_path / "elsewhere"
    for run_id, results in (("mine", kept), ("theirs", elsewhere)):
        run = a_run(run_id)
        history.save(replace(run, request=replace(run.request, results=results)))
        for folder in (results, run_folder(run_id)):
            folder.mkdir(parents=True)
            (folder / "file").write_text("")
        delete_run(run_id, history)
        assert not run_folder(run_id).exists()
    assert not kept.exists()
    assert (elsewhere / "file").exists()
    assert ids(history) == "cba"
    with pytest.raises(RunError, match=r"no run '\.\./a'"):
        delete_run("../a", history)


def test_a_run_that_runs_is_not_deleted(history: History) -> None:
    running = replace(a_run("r"), status="running", finished=None, measurement=None)
    history.save(running, process(os.getpid()))
    with pytest.raises(RunError, match="r: is running; cancel it first"):
        delete_run("r", history)
    assert history.get("r").status == "running"


def test_a_file_of_version_1_keeps_all_its_runs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "history.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(OF_VERSION_1.read_text())
        records = dict(connection.execute("SELECT id, record FROM runs").fetchall())
    history = History(file)
    found = {run.id: run for run in history.summaries()}
    assert len(found) == len(records) == 4
    run = found["20261116-113535-3117d2"]
    assert (run.label, run.way, run.results, run.status) == ("h,t", "replay", 279_263, "finished")
    assert (run.predicted, run.measured) == (pytest.approx(750), pytest.approx(728.95))
    assert history.get(run.id).measurement is not None
    assert list(history.processes()) == ["20261116-120000-00000b"]
    # What this version cannot read is not lost, either: it is listed, and its record is as it was.
    with caplog.at_level(logging.WARNING):
        assert [r.id for r in history.runs()] == [*sorted(found)[1:3][::-1], run.id]
    with closing(sqlite3.connect(file)) as connection:
        assert dict(connection.execute("SELECT id, record FROM runs").fetchall()) == records
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_a_file_of_version_2_keeps_notes_and_pins_and_gains_columns(history: History) -> None:
    paced = a_run("p")
    history.save(replace(paced, request=replace(paced.request, pace=5.0)))
    history.note("p", "slowly")
    history.pin("p")
    with closing(sqlite3.connect(history.file)) as connection, connection:
        for column in ("pace", "master", "start_seconds"):
            connection.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        connection.execute("PRAGMA user_version = 2")
    (run,) = (found for found in History(history.file).summaries() if found.id == "p")
    assert (run.pace, run.master, run.note, run.baseline) == (5.0, None, "slowly", True)
    History(history.file).note("p", "after")
    assert [r.note for r in History(history.file).summaries() if r.id == "p"] == ["after"]
