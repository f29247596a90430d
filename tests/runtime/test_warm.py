"""What is made ready in the background."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from planner.families import family
from runtime import warm
from runtime.generate import generate
from runtime.kernels.aggregation import load_aggregation_kernels
from runtime.kernels.aggregation_events import run_events
from tests.planner.aggregations import HASHED, aggregation
from tests.runtime.aggregating import aggregated


def test_other_kernels_are_compiled_once_a_join_can_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    steps: list[tuple[str, str]] = []
    loaded = threading.Event()

    def compiled() -> None:
        steps.append(("other kernels", warm.status()))
        loaded.set()

    monkeypatch.setattr(warm, "_warmth", warm._Warmth())
    monkeypatch.setattr(warm, "warm", lambda sample: steps.append((sample.name, warm.status())))
    monkeypatch.setattr(warm, "compile_elsewhere", compiled)
    for _ in range(2):
        warm.warm_in_background(tmp_path / "a join")
    assert loaded.wait(30)
    assert steps == [("a join", "warming"), ("other kernels", "ready")]


def test_loaded_kernels_are_those_that_a_run_takes() -> None:
    """Of other types they would be compiled anew, while the run waits."""
    load_aggregation_kernels()
    loaded = list(run_events.signatures)
    text = (
        "SELECT S1.g, MAX(S2.x), COUNT(*) FROM S1 [RANGE 4], S2 [ROWS 9], R "
        "WHERE S1.j = S2.j AND S2.j = R.j AND S2.x > 3 GROUP BY S1.g"
    )
    workload = aggregation(text, HASHED)
    for label in ("LAP", "EAP-110"):
        plan = family("early_aggregation").plan(workload, label)
        tables = generate(workload, 20, seed=1)
        assert aggregated(workload, tables, plan, partitions=2, cuts=[30]).answer
    assert list(run_events.signatures) == loaded
    assert len(loaded) == 1
