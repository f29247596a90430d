"""`bench adapting` and `bench watching` on little: their figures follow from runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.adapting import benchmark, watching, workloads


@pytest.fixture(autouse=True)
def _short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    for module in (benchmark, workloads):
        monkeypatch.setattr(module, "SECONDS", 20.0)


def test_a_trace_is_measured_beside_plans_that_stay() -> None:
    found = benchmark.changing_rates(9_003)
    assert found["kind"] == "a join"
    assert 0 < found["over worst plan"] <= found["over best plan"]
    assert found["over best of every interval"] >= found["over best plan"]


def test_traces_of_values_change_values_alone() -> None:
    found = benchmark.changing_values(9_801)
    assert found["over worst plan"] < 1
    record = benchmark._summed([found, found])
    assert record["over best plan"]["median"] == found["over best plan"]
    assert record["switches"] == [found["switches"]] * 2


def test_watching_is_measured_beside_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "TUPLES", 2_000)
    monkeypatch.setattr(watching, "TURNS", 1)
    monkeypatch.setattr(watching, "KINDS", {"a join": workloads.KINDS["a join"]})
    record = watching.watching()
    assert record["same answer"]
    assert record["worst share"] == record["share of kernel seconds"]["a join"] > 0
