"""The rates of a run: what its tuples say, and no other tuples."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.families.registry import family
from planner.files.rate_files import read_trace
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.data.data_writer import write_folder
from runtime.data.run_data import (
    data_digest,
    generated,
    with_data,
    with_run_settings,
)
from runtime.runs.history import History
from runtime.runs.records import Run, RunRequest
from runtime.runs.run_tuples import run_rates
from tests.planner.workloads import equality_join

WORKLOAD = with_run_settings(equality_join([(4, 20, 5), (1, 10, 3)]), 3, 20.0, 80.0)


def record(workload: Workload, data: Path | None = None) -> Run:
    """What the history keeps of a run, without the run."""
    request = RunRequest(workload, "join_order", "S1,S2", data=data)
    filled, tables, _ = with_data(workload, data)
    chosen = family("join_order")
    plan = chosen.space(filled).plan("S1,S2")
    return Run(
        id="run-1",
        request=request,
        workload=filled,
        plan=plan,
        estimate=chosen.space(filled).estimate(plan),
        partitions=1,
        batches=1,
        data_digest=data_digest(filled, tables),
        versions={},
        started=1.0,
        status="finished",
    )


def test_generated_tuples_are_counted_over_the_whole_run() -> None:
    trace = run_rates(record(WORKLOAD), 25.0)
    assert (trace.times, trace.end) == ((0, 25, 50, 75), 100)
    ts = {name: table.ts / 1e6 for name, table in generated(WORKLOAD).items()}
    for (begin, end), rates in zip(trace.spans, trace.rates, strict=True):
        counts = [((t >= begin) & (t < end)).sum() for t in ts.values()]
        assert rates == pytest.approx([count / 25 for count in counts])
    assert run_rates(record(WORKLOAD)).times == (0, 20, 40, 60, 80), "the longest window"


def test_own_data_are_read_again_and_must_be_the_same(tmp_path: Path) -> None:
    write_folder(generated(WORKLOAD), tmp_path)
    run = record(WORKLOAD, tmp_path)
    counted = run_rates(run, 30.0)
    tables = generated(WORKLOAD)
    arrived = [
        sum(row[place] * s for row, s in zip(counted.rates, counted.seconds, strict=True))
        for place in range(2)
    ]
    assert arrived == pytest.approx([len(tables["S1"]), len(tables["S2"])])
    write_folder(generated(replace(WORKLOAD, run=replace(WORKLOAD.run, seed=4))), tmp_path)
    with pytest.raises(RunError, match="run-1: its data have changed since"):
        run_rates(run, 30.0)


def test_the_command_writes_a_trace_that_replan_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    run = record(WORKLOAD)
    History().save(run)
    assert main(["rates", "run-1", "--every", "25"]) == 0
    assert read_trace(capsys.readouterr().out.encode(), "f.csv") == run_rates(run, 25.0)
    assert main(["rates", "run-1", "--every", "25", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [interval["to"] for interval in found["intervals"]] == [25, 50, 75, 100]
    for arguments, said in (
        (["run-2"], "run: no run 'run-2'"),
        (["run-1", "--every", "-2"], "--every: must be above 0, got -2"),
        (["run-1", "--every", "0.01"], "10,000 intervals; at most 1,000"),
    ):
        assert main(["rates", *arguments]) == 2
        assert said in capsys.readouterr().err
