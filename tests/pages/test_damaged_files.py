"""Every page and command answers, whichever files of the data folder are damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pages.parts.shared import routing
from planner.__main__ import main as plan
from planner.experiments.registry import experiment
from planner.files.data_folder import home
from planner.seconds.calibration import calibrated_units, keep_calibration
from runtime.__main__ import main
from runtime.backends.kernels.totals import Totals
from runtime.data.folders import PROJECT, answers_home, run_folder
from runtime.experiments import figure as figure_store
from runtime.experiments.figure import nothing_yet
from runtime.runs.history import History
from tests.damage import DAMAGES
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import fresh_app
from tests.planner.seconds.test_calibration_file import FOUND
from tests.runtime.run_records import a_run

FIGURE = "table-8"
KINDS = ("answers", "calibration.json", "figures", "history.sqlite", "runs", "uploads")
OWN = """
version: 1
name: own
streams: [{name: S1, attributes: {attr: {}}}]
queries: [{name: Q1, text: "SELECT COUNT(*) FROM S1 [RANGE 1]"}]
"""


def _fill() -> None:
    """One file of every kind that the pages or the commands read."""
    home().mkdir(parents=True)
    keep_calibration(FOUND)
    wanted = experiment(FIGURE)
    figure_store.keep(wanted, nothing_yet(wanted, {"python": "3"}, 2))
    answer = answers_home() / "answer"
    answer.mkdir(parents=True)
    for end in ("", ".changes"):
        pq.write_table(pa.table({"count(*)": [1, 2]}), answer / f"Q1{end}.parquet")
    finished = a_run("finished")
    History().save(replace(finished, request=replace(finished.request, results=answer)))
    failed = a_run("failed", status="failed", error="the disk was full")
    History().save(failed)
    run_folder("failed").mkdir(parents=True)
    Totals(run_folder("failed")).keep(2, [b"counted"])
    uploaded = home() / "uploads" / "abcdef012345"
    uploaded.mkdir(parents=True)
    (uploaded / "S1.csv").write_text("ts,attr\n0,1\n1,2\n")
    (home().parent / "own.yaml").write_text(OWN)


@pytest.fixture
def filled(spark: FakeSpark) -> list[Path]:  # noqa: ARG001 - the pages need it
    """The files of a data folder that has been used."""
    _fill()
    app = fresh_app().run()
    app.switch_page("pages/workload.py").run()
    app.session_state["workload"] = replace(app.session_state["workload"], name="edited")
    app.run()
    return sorted(file for file in home().rglob("*") if file.is_file())


def _pages_answer() -> None:
    """See every page in a new session."""
    app = fresh_app().run()
    for name in routing.names():
        app.switch_page(f"pages/{name}.py").run()
        assert not app.exception, name


def _kind(file: Path) -> str:
    return file.relative_to(home()).parts[0]


def _commands() -> dict[str, tuple[Callable[[Sequence[str]], int], list[str], str]]:
    """Commands that take a moment, each with the kind of file that it reads."""
    (uploaded,) = (home() / "uploads").iterdir()
    sample = str(PROJECT / "sample_data" / "golab-table-5.yaml")
    own = str(home().parent / "own.yaml")
    return {
        "history": (main, ["history"], "history.sqlite"),
        "history as JSON": (main, ["history", "--json"], "history.sqlite"),
        "resume": (main, ["resume", "finished"], "history.sqlite"),
        "rates": (main, ["rates", "finished"], "history.sqlite"),
        "statistics": (main, ["statistics", own, "--data", str(uploaded)], "uploads"),
        "plans": (plan, ["plans", sample, "--json"], "calibration.json"),
        "plans of own data": (plan, ["plans", own, "--data", str(uploaded)], "uploads"),
        "explain": (plan, ["explain", sample, "--plan", "best"], "calibration.json"),
    }


def _commands_answer(capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    """The exit code of each command: where it is 2, the command has said why."""
    codes = {}
    for name, (command, arguments, _) in _commands().items():
        codes[name] = command(arguments)
        out, err = capsys.readouterr()
        assert codes[name] in (0, 2), name
        assert bool(out) == (codes[name] == 0), name
        assert err.strip() or codes[name] == 0, name
    return codes


def _damages(*quick: str) -> pytest.MarkDecorator:
    """All damages are tried in `./check --all`, these in `./check`."""
    return pytest.mark.parametrize(
        "damage",
        [
            pytest.param(damage, id=name, marks=[pytest.mark.slow] if name not in quick else [])
            for name, damage in DAMAGES.items()
        ],
    )


@_damages("emptied", "garbled")
def test_all_files_damaged(
    damage: Callable[[Path], None], filled: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert {_kind(file) for file in filled} == {*KINDS}
    for file in filled:
        damage(file)
    _pages_answer()
    _commands_answer(capsys)
    assert calibrated_units() is None
    assert figure_store.kept(experiment(FIGURE)) is None
    assert Totals(run_folder("failed")).done() == 0


# One damage to each kind of file shows that only those suffer who read it.
@_damages("garbled")
@pytest.mark.parametrize("kind", KINDS)
def test_one_kind_of_file_damaged(
    kind: str,
    damage: Callable[[Path], None],
    filled: list[Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    sound = _commands_answer(capsys)
    for file in filled:
        if _kind(file) == kind:
            damage(file)
    _pages_answer()
    found = _commands_answer(capsys)
    # What reads other files is as it was.
    others = [name for name, (*_, reads) in _commands().items() if reads != kind]
    assert [found[name] for name in others] == [sound[name] for name in others]
    assert (calibrated_units() is None) == (kind == "calibration.json")
    assert (figure_store.kept(experiment(FIGURE)) is None) == (kind == "figures")
    assert Totals(run_folder("failed")).done() == (0 if kind == "runs" else 2)
    if damage is not DAMAGES["flipped"]:
        # One bit need not be in what is read.
        assert (History().count() == 0) == (kind == "history.sqlite")


def _damage_record(content: str) -> None:
    with History()._open() as connection:
        connection.execute("UPDATE runs SET record = ?", (content,))


@pytest.mark.parametrize(
    "content",
    [pytest.param("", marks=pytest.mark.slow), "{", pytest.param("null", marks=pytest.mark.slow)],
)
def test_damaged_records_of_runs(
    content: str, filled: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert filled
    _damage_record(content)
    _pages_answer()
    for command in (["resume", "failed"], ["rates", "finished"]):
        assert main(command) == 2
        assert "record is damaged" in capsys.readouterr().err
    assert main(["history"]) == 0
