"""The runtime's commands: what is wrong is said in one line, exit code 2, before Spark starts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from planner.files.workload_file import dump_workload, load_workload
from runtime.__main__ import main
from runtime.runs.history import History
from tests.planner.workloads import equality_join
from tests.runtime.run_records import a_run

ROWS = [(5, 10, 20), (2, 20, 10)]
LONG = "n" * 200


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """The file of a small two-way join."""
    file = tmp_path / "join.yaml"
    file.write_text(dump_workload(equality_join(ROWS)))
    return file


def _refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line that a bad command ends with."""
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--partitions", "0"], "--partitions: must be from 1 to 64, got 0"),
        (["--partitions", "65"], "--partitions: must be from 1 to 64, got 65"),
        (["--partitions", "two"], "argument --partitions: invalid int value: 'two'"),
        (["--most-seconds", "0"], "--most-seconds: must be above 0, got 0"),
        (["--most-disk", "nan"], "--most-disk: must be above 0, got nan"),
        (["--most-disk", "0.01"], "run: its micro-batches would take about 0.0"),
        (["--batch-rows", "-5"], "--batch-rows: must be from 1 to"),
        (["--plan", "S1,S9"], "join_order: no plan 'S1,S9'"),
        (["--plan", ""], "join_order: no plan ''"),
        (["--family", "magic"], "no family 'magic'; there are join_order"),
        (["--query", "Q7"], "no query 'Q7'; there are Q1"),
        (["--way", "sideways"], "argument --way: invalid choice: 'sideways'"),
        (["--duration", "-3"], "--duration: must be above 0, got -3"),
        (["--duration", "nan"], "--duration: must be above 0, got nan"),
        (["--duration", "1e300"], "--duration: must be at most"),
        (["--duration", "9e9"], "run.duration: would generate about"),
        (["--warmup", "-1"], "--warmup: must be 0 or above, got -1"),
        (["--seed", "-1"], "--seed: must be from 0 to"),
        (["--backend", "magic"], "argument --backend: invalid choice"),
        (["--unknown"], "unrecognized arguments: --unknown"),
        (["--duration", "9000", "--batch-rows", "1"], "--batch-rows: would make 6"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_bad_option_is_named(
    options: list[str], message: str, workload: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in _refused(capsys, "run", workload, *options)


def test_a_missing_or_broken_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.yaml"
    assert f"{missing}: cannot be read: No such file" in _refused(capsys, "run", missing)
    missing.write_text("version: 1\nstreams: [")
    assert "missing.yaml" in _refused(capsys, "run", missing)


def test_a_data_folder_that_cannot_be_read_is_named(
    workload: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (tmp_path / "nowhere", workload):
        assert f"{folder}: is not a folder" in _refused(capsys, "run", workload, "--data", folder)
    assert "no file S1.csv or S1.parquet" in _refused(capsys, "run", workload, "--data", tmp_path)
    (tmp_path / "S1.csv").write_text("ts,attr\n5,1\n4,1\n")
    assert "row 2 (ts 4) is earlier" in _refused(capsys, "run", workload, "--data", tmp_path)


def test_a_results_folder_that_cannot_be_written_is_named_before_the_run(
    workload: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (workload, workload / "below", Path("/proc/nowhere")):
        error = _refused(capsys, "run", workload, "--results", folder)
        assert f"--results {folder}: cannot be written to" in error


def test_resume_and_statistics_say_what_is_missing(
    workload: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no run 'nothing'" in _refused(capsys, "resume", "nothing")
    History().save(a_run("ended"))
    assert "ended: is finished; only an interrupted run" in _refused(capsys, "resume", "ended")
    assert "--data" in _refused(capsys, "statistics", workload)
    assert "no file S1" in _refused(capsys, "statistics", workload, "--data", tmp_path)
    assert "arguments" in _refused(capsys)


# --- hostile names --------------------------------------------------------------------------------


def _named(tmp_path: Path, name: str, attribute: str = "attr") -> Path:
    file = tmp_path / "named.yaml"
    text = json.dumps(
        {
            "version": 1,
            "streams": [
                {"name": name, "rate": 5, "attributes": {attribute: {"distinct": 9}}},
                {"name": "R", "rate": 5, "attributes": {attribute: {"distinct": 9}}},
            ],
            "queries": [
                {
                    "text": f'SELECT * FROM "{name}" [RANGE 5] AS a, R [RANGE 5] AS b '
                    f"WHERE a.{attribute} = b.{attribute}"
                }
            ],
        },
        ensure_ascii=False,
    )
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "a/b", ".", pytest.param("🦀" * 100, id="400 bytes")]
)
def test_a_stream_that_cannot_name_a_file_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "deep" / "data"
    error = _refused(capsys, "generate", _named(tmp_path, name), folder, "--duration", 10)
    assert error == f"streams.{name}: cannot name a file; rename the stream\n"
    assert not folder.exists()


@pytest.mark.parametrize("name", ["..", "🦀", LONG, "a b", "=HYPERLINK(1)", "<script>"])
def test_a_stream_of_any_other_name_is_written_inside_the_folder_and_read_again(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, folder = _named(tmp_path, name), tmp_path / "deep" / "data"
    assert main(["generate", str(file), str(folder), "--duration", "10", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert sorted(f.name for f in folder.iterdir()) == sorted([f"{name}.parquet", "R.parquet"])
    assert [f.name for f in (tmp_path / "deep").iterdir()] == ["data"]
    assert main(["statistics", str(file), "--data", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"]
    assert set(rows) == {name, "R"}


def test_an_attribute_in_the_place_of_the_time_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _named(tmp_path, "S", attribute="ts")
    assert "streams.S.attributes.ts" in _refused(capsys, "generate", file, tmp_path / "data")


def test_a_folder_that_cannot_be_made_is_named(
    workload: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "cannot write the data" in _refused(capsys, "generate", workload, workload / "data")


# --- JSON and text --------------------------------------------------------------------------------


def _no_constant(text: str) -> float:
    raise AssertionError(f"{text} is not JSON")


def test_json_is_pure_and_has_no_nan(
    workload: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    History().save(a_run("with-figures"))
    commands = [
        ["generate", workload, folder, "--duration", 30],
        ["statistics", workload, "--data", folder],
        ["history"],
    ]
    for command in commands:
        assert main([*map(str, command), "--json"]) == 0
        document = json.loads(capsys.readouterr().out, parse_constant=_no_constant)
        assert document


def test_history_lists_a_run_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    History().save(a_run("listed"))
    assert main(["history"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "listed" in line]
    assert "finished" in line
    assert "S1,S2,S3,S4" in line


def test_runs_are_noted_pinned_found_and_deleted_by_commands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    for number in range(3):
        History().save(a_run(f"run-{number}", started=float(number)))
    assert main(["history", "--note", "run-1", "for the talk", "--pin", "run-1"]) == 0
    assert capsys.readouterr().out.splitlines() == ["run-1: noted", "run-1: pinned"]
    assert main(["history", "--delete", "run-0"]) == 0
    assert "run-0: deleted" in capsys.readouterr().out
    assert main(["history", "--search", "TALK", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["run"], found["note"], found["baseline"]) == ("run-1", "for the talk", True)
    assert found["workload"] == {"name": "a join", "digest": a_run("x").workload.digest}
    assert main(["history", "--most", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("run-2 ")
    assert "1 of 2 runs; --skip 1 lists more" in out
    assert main(["history", "--skip", "1", "--status", "finished"]) == 0
    assert capsys.readouterr().out.startswith("run-1 * ")
    assert _refused(capsys, "history", "--pin", "z").startswith("run: no run 'z'")
    assert "invalid choice: 'done'" in _refused(capsys, "history", "--status", "done")
    assert "must be from 0 to 1,000,000, got -1" in _refused(capsys, "history", "--skip", "-1")


def test_statistics_print_a_workload_that_can_be_read_again(
    workload: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    assert main(["generate", str(workload), str(folder), "--duration", "30"]) == 0
    assert "rows in" in capsys.readouterr().out
    assert main(["statistics", str(workload), "--data", str(folder)]) == 0
    again = load_workload(capsys.readouterr().out)
    assert all(stream.rate and math.isfinite(stream.rate) for stream in again.streams)


def test_a_data_folder_of_ours_that_cannot_be_written_is_named(
    workload: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_HOME", "/proc/nothing/can/be/made/here")
    assert main(["run", str(workload)]) == 2
    assert "cannot be written to" in capsys.readouterr().err
