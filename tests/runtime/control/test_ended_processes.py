"""Runs whose Java or worker dies, or that are terminated: said in one line, and nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors import PySparkException

from planner.errors import RunError
from planner.files.workload_file import dump_workload
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.cli.termination import cleaning_up_when_terminated
from runtime.control.execute import run
from runtime.data.folders import PROJECT, home, run_folder
from runtime.runs.history import History
from runtime.runs.records import WAYS, Progress, RunRequest, Way
from runtime.spark.process_deaths import said_if_a_process_dies
from tests.planner.workloads import equality_join

pytestmark = pytest.mark.spark

WORKER_ENDED = "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)."


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to be resumed here is not found by other tests."""
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))


def _workload(duration: float) -> Workload:
    settings = RunSettings(seed=5, warmup=10, duration=duration)
    return replace(equality_join([(10, 10, 20), (10, 20, 20)]), run=settings)


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in text.split()]


def _java_of(process: int) -> int:
    """Java is the child that runs it; `spark-submit` becomes it."""
    (java,) = [
        child
        for child in _children(process)
        if b"java" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[0]
    ]
    return java


def _command(
    workload: Workload, folder: Path, options: list[str], at: str, do: Callable[[int], None]
) -> tuple[int, list[str]]:
    """Run a command; at the first line with this beginning, do this to its process.

    The exit code, and the lines of stderr from then on.
    """
    file = folder / "w.yaml"
    file.write_text(dump_workload(workload))
    child = subprocess.Popen(
        [sys.executable, "-m", "runtime", "run", str(file), "--plan", "S1,S2", *options, "--json"],
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    lines: list[str] = []
    done = False
    with child.stderr:
        for line in child.stderr:
            if done:
                lines.append(line.rstrip())
            elif line.startswith(at):
                do(child.pid)
                done = True
    return child.wait(), lines


@pytest.mark.slow
def test_a_stream_whose_java_dies_says_how_to_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = _workload(50)
    options = ["--partitions", "2", "--batch-rows", "200"]
    code, lines = _command(
        workload,
        tmp_path,
        options,
        "Running: 1 of",
        lambda process: os.kill(_java_of(process), signal.SIGKILL),
    )
    assert code == 2
    said = [line for line in lines if not line.startswith("Running: ")]
    assert len(said) == 1, "\n".join(said)
    assert said[0].startswith("Java: Spark's Java process ended before the run")
    run_id = said[0].split()[-1].rstrip(")")
    assert History().get(run_id).status == "failed"
    assert main(["resume", run_id, "--json"]) == 0
    resumed = json.loads(capsys.readouterr().out)
    plain = run(RunRequest(workload, "join_order", "S1,S2", way="replay", partitions=2))
    assert plain.measurement is not None
    assert resumed["answers"] == plain.measurement.answers
    assert resumed["results"] == plain.measurement.results
    assert not run_folder(run_id).exists()


def _check_terminated(way: str) -> None:
    newest = History().summaries()[0]
    assert (newest.status, newest.way) == ("interrupted", way)
    assert newest.error == "its process was terminated"
    assert (home() / "runs" / newest.id).exists() == (way == "stream")


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_command_that_is_terminated_leaves_only_what_can_be_resumed(
    way: Way, tmp_path: Path
) -> None:
    code, lines = _command(
        _workload(4000),
        tmp_path,
        ["--way", way, "--partitions", "2", "--batch-rows", "500"],
        "Running",
        lambda process: os.kill(process, signal.SIGTERM),
    )
    assert code == 128 + signal.SIGTERM
    assert [line for line in lines if not line.startswith("Running")] == ["terminated"]
    _check_terminated(way)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_is_terminated_leaves_only_what_can_be_resumed(
    way: Way, capsys: pytest.CaptureFixture[str]
) -> None:
    def terminate(progress: Progress) -> None:
        if progress.phase == "Running":
            os.kill(os.getpid(), signal.SIGTERM)

    request = RunRequest(_workload(10), "join_order", "best", way, partitions=1)
    with cleaning_up_when_terminated(), pytest.raises(SystemExit) as raised:
        run(request, terminate)
    assert raised.value.code == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "terminated\n"
    _check_terminated(way)


def test_that_java_ended_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do then; other errors, and those of a Java that lives, stay as they are."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=ended))
    for lost in (Py4JNetworkError("no answer"), ConnectionRefusedError(), RunError("no", "Spark")):
        with pytest.raises(RunError) as raised, said_if_a_process_dies("resume it"):
            raise lost
        assert str(raised.value).startswith("Java: Spark's Java process ended before the run")
        assert str(raised.value).endswith("; resume it")
    with pytest.raises(ZeroDivisionError), said_if_a_process_dies("resume it"):
        raise ZeroDivisionError
    monkeypatch.setattr(SparkContext, "_gateway", None)
    with pytest.raises(RunError, match="Spark: no"), said_if_a_process_dies("resume it"):
        raise RunError("no", "Spark")


@pytest.mark.parametrize(
    "error",
    [
        PySparkException(f"Job aborted\n{WORKER_ENDED}"),
        RunError(f"the stream was interrupted: {WORKER_ENDED}", "Spark"),
    ],
)
def test_that_a_worker_ended_is_said_in_one_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    with pytest.raises(RunError) as raised, said_if_a_process_dies("resume it"):
        raise error
    # Not of Spark: a run that is resumed is told that its checkpoint may be damaged then.
    assert str(raised.value) == (
        "worker: a worker of Spark ended before the run: it was killed, or out of memory; resume it"
    )
