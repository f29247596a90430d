"""What is made ready in the background."""

from __future__ import annotations

import threading
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from numba.core.dispatcher import Dispatcher

from planner.experiments.experiment import Point
from planner.families.registry import FAMILIES
from planner.files.workload_file import load_workload
from runtime import engines
from runtime.control import warm
from runtime.data.run_data import run_seconds
from runtime.engines.registry import load_all_kernels
from runtime.experiments.measurement import Sampler
from runtime.runs.history import History
from runtime.runs.records import RunRequest
from tests.runtime.run_records import a_request

KERNELS = [
    module.name
    for module in walk_packages(engines.__path__, "runtime.engines.")
    if "kernel" in module.name.rpartition(".")[0]
]
STREAMS = """
version: 1
name: warm
streams:
  - {name: A, rate: 20, attributes: {k: {distinct: 5}, v: {distinct: 10}}}
  - {name: B, rate: 20, attributes: {k: {distinct: 5}, v: {distinct: 10}}}
relations:
  - {name: R, rows: 9, attributes: {k: {distinct: 5}}, changes: {inserts: 1, deletes: 1}}
run: {seed: 1, warmup: 3, duration: 5}
queries:
"""
FROM = "A [RANGE 3], B [RANGE 3]"
RUN = {
    "multi-way": [f"* FROM {FROM} WHERE A.k = B.k"],
    "theta, filtered": [f"* FROM {FROM} WHERE A.k = B.k AND A.v < B.v AND A.v > 2"],
    "relation": [f"* FROM {FROM}, R WHERE A.k = B.k AND B.k = R.k AND A.v > 2"],
    "aggregation": [
        f"A.v, MAX(B.v), COUNT(*) FROM {FROM} WHERE A.k = B.k AND B.v > 2 GROUP BY A.v"
    ],
    "chain": [
        f"* FROM {FROM} WHERE A.k = B.k AND A.v > 2",
        "* FROM A [RANGE 1], B [RANGE 1] WHERE A.k = B.k AND B.v > 2",
    ],
}


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
    assert loaded.wait(600)
    assert steps == [("a join", "warming"), ("other kernels", "ready")]


def test_a_tiny_run_goes_before_the_first_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not recorded, covers few tuples, and is not repeated for the next plan."""
    tiny: list[RunRequest] = []
    phases: list[str] = []

    def run(request: RunRequest, cancel: threading.Event, history: History) -> None:
        assert history.file != History().file
        assert not cancel.is_set()
        tiny.append(request)

    monkeypatch.setattr(warm, "_warmth", warm._Warmth())
    monkeypatch.setattr(warm, "run", run)
    asked = replace(a_request(), results=Path("kept"), pace=10.0)
    execution = replace(asked.workload.execution, join="hash")
    for request in (
        asked,
        replace(asked, label="S4,S3,S2,S1"),
        replace(asked, backend="native", pace=None),
        replace(asked, workload=replace(asked.workload, execution=execution)),
    ):
        warm.ready_for(request, lambda progress: phases.append(progress.phase), threading.Event())
    assert [(one.backend, one.workload.execution.join) for one in tiny] == [
        ("kernels", "nested"),
        ("native", "nested"),
        ("kernels", "hash"),
    ]
    assert {one.label for one in tiny} == {asked.label}
    assert phases == ["Warming up"] * 3
    first = tiny[0]
    assert (first.results, first.pace, first.workload.warmup) == (None, None, 0.0)
    assert 100 <= run_seconds(first.workload) * 15 <= 1000, "15 tuples arrive in a second"


@pytest.mark.parametrize("queries", RUN.values(), ids=RUN)
def test_loaded_kernels_are_those_that_a_run_takes(queries: list[str]) -> None:
    """Of other types they would be compiled anew, while the run waits and is timed."""
    lines = (f'  - {{name: Q{n}, text: "SELECT {text}"}}' for n, text in enumerate(queries))
    workload = load_workload("\n".join([STREAMS, *lines]))
    load_all_kernels()
    loaded = _signatures()
    for chosen in FAMILIES:
        if chosen.refuses(workload) is None:
            for candidate in chosen.space(workload).rank(top=2).candidates:
                point = Point(0, workload, chosen.name, candidate.label)
                assert Sampler().sample(point, seed=1).results
    assert _signatures() == loaded


def _signatures() -> dict[str, int]:
    """How many types each kernel that Python calls has been compiled for."""
    return {
        f"{module.__name__}.{name}": len(kernel.signatures)
        for module in map(import_module, KERNELS)
        for name, kernel in vars(module).items()
        if isinstance(kernel, Dispatcher)
    }
