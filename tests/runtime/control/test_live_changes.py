"""Changes of a run that is going on: it ends as one whose changes were planned before it began."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from planner.errors import PlanError, RunError, SluiceError
from planner.files.query.text import parse_query
from planner.files.workload_file import dump_workload, load_workload
from planner.plan.cost import Estimate
from planner.workload.changes import stages_of
from planner.workload.execution import Change, RunSettings
from planner.workload.query import Query
from planner.workload.streams import Arrivals, Attribute, Stream, catalogue
from planner.workload.workload import Workload
from runtime.backends.kernels.prepare import prepare
from runtime.backends.live_changes import Steering, boundary
from runtime.control.execute import run
from runtime.control.resume import resume
from runtime.data.batch_seal import opened
from runtime.data.run_data import generated
from runtime.engines.kernels.digest import as_text, digest_of
from runtime.engines.protocol import Tally
from runtime.runs.history import History
from runtime.runs.records import Progress, RunRequest
from runtime.runs.run_json import run_from_json, run_to_json
from tests.examples import examples
from tests.oracles.joins import Data, results_of
from tests.runtime.slicing import queries, workloads

_STREAMS = tuple(
    Stream(name, 3.0, {"k": Attribute(3), "v": Attribute(5)}, Arrivals("pareto", 2.0))
    for name in "ABC"
)
_LABELS = ("unshared", "pull-up", "push-down", "mem-opt", "cpu-opt")


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "home"))


class Driven:
    """A prepared run driven batch by batch without Spark, and steered in between."""

    def __init__(self, request: RunRequest, partitions: int) -> None:
        self.request, self.prepared = request, prepare(request, partitions)
        self.steering = Steering()
        self.steering.begin(request, self.prepared)
        self._files = sorted(Path(self.prepared.batches.folder).glob("*.parquet"))
        self._states: list[bytes | None] = [None] * partitions
        self._totals = [b""] * partitions
        self.done = 0

    @property
    def over(self) -> bool:
        """Whether all batches are done."""
        return self.done == len(self._files)

    def step(self) -> None:
        """Make what is asked for, and run the next batch."""
        batches = self.prepared.batches
        if self.request.steerable:
            after = batches.untils[self.done - 1] if self.done else -1
            made = self.steering.made_at(boundary(after, batches.froms[self.done]))
            if made is not None:
                self.request, self.prepared = made
                # Its record has all that is needed to go on after it was interrupted.
                again = prepare(self.request, len(self._states))
                assert again.program == self.prepared.program
                assert again.batches == batches
        for row in pq.read_table(self._files[self.done]).to_pylist():
            for partition in row["partitions"]:
                tuples = opened(row["tuples"], self.done, partition)
                step = self.prepared.program.step(
                    self._states[partition], tuples, partition, most_rows=0
                )
                self._states[partition], self._totals[partition] = step.state, step.totals
        self.done += 1

    def tally(self) -> Tally:
        """What was counted until the end."""
        while not self.over:
            self.step()
        return self.prepared.program.tally(self._totals, self.prepared.plan)


def _isolated(workload: Workload) -> dict[str, tuple[int, int]]:
    """Every query by itself, by definition: for the time it is there, of tuples that came then."""
    data: Data = {
        name: [
            (int(ts), {a: int(c.values[n]) for a, c in table.columns.items()})
            for n, ts in enumerate(table.ts)
        ]
        for name, table in generated(workload).items()
    }
    stages = stages_of(workload)
    found: dict[str, list[tuple[int, ...]]] = {}
    for number, stage in enumerate(stages):
        end = stages[number + 1].at if number + 1 < len(stages) else None
        for query in stage.workload.queries:
            rows, since = found.setdefault(query.name, []), stage.entered.get(query.name, -1)
            for row in results_of(replace(workload, queries=(query,)), data):
                pairs = zip(query.sources, row, strict=False)
                times = [data[source.name][seq][0] for source, seq in pairs]
                here = row[-1] >= (stage.at or 0) and (end is None or row[-1] < end)
                if here and min(times) >= since:
                    rows.append(row)
    return {
        name: (len(rows), int(digest_of(np.array(rows, np.int64).reshape(-1, 3)[:, :2])))
        for name, rows in found.items()
    }


def _wish(draw: Callable[[st.SearchStrategy], object], driven: Driven) -> list[Change]:
    workload = stages_of(driven.prepared.workload)[-1].workload
    names = [query.name for query in workload.queries]
    kind = draw(st.sampled_from(["add", "remove", "change", "plan"]))
    if kind == "plan":
        return [Change(0, plan=draw(st.sampled_from(_LABELS)))]
    gone = draw(st.sampled_from(names))
    if kind == "remove":
        return [Change(0, remove=gone)]
    if kind == "change":
        return [Change(0, remove=gone), Change(0, add=draw(queries(workload, gone)))]
    new = draw(queries(workload, f"N{driven.done}-{len(driven.steering.wishes)}"))
    return [Change(0, add=new)]


@examples(8)
@given(st.data(), workloads(most=3), st.integers(1, 2), st.integers(0, 2**20))
def test_a_steered_run_is_the_run_of_its_changes(
    choose: st.DataObject, workload: Workload, partitions: int, seed: int
) -> None:
    planned = [Change(6.5, plan="pull-up")] if choose.draw(st.booleans()) else []
    span = RunSettings(seed, 2.0, 9.0, tuple(planned))
    workload = replace(workload, streams=_STREAMS, run=span)
    label = choose.draw(st.sampled_from(_LABELS))
    request = RunRequest(workload, "sliced_chain", label, batch_rows=9, steerable=True)
    try:
        driven = Driven(request, partitions)
    except PlanError:
        # Push-down of no filter.
        reject()
    while not driven.over:
        for _ in range(choose.draw(st.sampled_from([0, 0, 1, 2]))):
            try:
                driven.steering.ask(_wish(choose.draw, driven))
            except SluiceError:
                # A mistake, told at once: the run goes on.
                continue
        driven.step()
    tally = driven.tally()
    assert all(wish.answer == "made" for wish in driven.steering.wishes)

    # The workload that is recorded, read from its file, run otherwise than it was.
    recorded = load_workload(dump_workload(driven.prepared.workload))
    told = (*planned, *driven.request.steered)
    assert [(c.at, c.remove, c.plan) for c in recorded.run.changes] == [
        (c.at, c.remove, c.plan) for c in told
    ]
    other = Driven(RunRequest(recorded, "sliced_chain", label, batch_rows=25), 3 - partitions)
    expected = other.tally()
    assert tally.by_query == expected.by_query == _isolated(recorded)
    assert tally.costs == expected.costs
    assert tally.comparisons == expected.comparisons
    assert driven.prepared.plan == other.prepared.plan
    assert _predicted(driven.prepared.estimate) == _predicted(other.prepared.estimate)


def _predicted(estimate: Estimate) -> object:
    """Costs and qualities, and the formulas behind them as they are written."""
    written = {
        operator: [(f.field, f.symbols, f.values, f.model) for f in formulas]
        for operator, formulas in estimate.formulas.items()
    }
    return estimate.costs, estimate.qualities, written


def _sensors() -> Workload:
    attributes = {
        "room": Attribute(4),
        "degrees": Attribute(30),
        "place": Attribute(values=("attic", "cellar", "hall"), type="string"),
    }
    streams = (
        Stream("T", 8.0, attributes),
        Stream("H", 8.0, {"room": Attribute(4)}),
        Stream("U", 1.0, {"room": Attribute(4)}),
    )
    text = "SELECT * FROM T [RANGE 2], H [RANGE 2] WHERE T.room = H.room"
    first = parse_query(text, "Q1", catalogue=catalogue(streams))
    return Workload(
        "sensors", streams, (first, _query(streams, "Q2", 6)), run=RunSettings(3, 6, 34)
    )


def _query(streams: tuple[Stream, ...], name: str, seconds: int, condition: str = "") -> Query:
    text = f"SELECT * FROM T [RANGE {seconds}], H [RANGE {seconds}] WHERE T.room = H.room"
    return parse_query(f"{text} {condition}", name, catalogue=catalogue(streams))


def _request(**given: object) -> RunRequest:
    usual: dict[str, object] = {"batch_rows": 100, "partitions": 2, "steerable": True}
    return RunRequest(_sensors(), "sliced_chain", "mem-opt", **{**usual, **given})


@pytest.mark.parametrize(
    "condition", ["AND T.degrees > 20", "AND T.place >= 'b'", "AND T.place = 'attic'", ""]
)
def test_what_no_query_read_so_far_can_be_asked_for(condition: str) -> None:
    driven = Driven(_request(), 2)
    driven.step()
    driven.steering.ask([Change(0, add=_query(_sensors().streams, "Q3", 4, condition))])
    tally = driven.tally()
    (made,) = driven.request.steered
    recorded = driven.prepared.workload
    planned = Driven(RunRequest(recorded, "sliced_chain", "mem-opt"), 1).tally()
    assert tally.by_query == planned.by_query
    assert tally.costs == planned.costs
    assert tally.by_query["Q3"][0] > 0
    # A round time between two batches.
    assert made.at * 100 == pytest.approx(round(made.at * 100))


def _mistakes() -> Mapping[str, tuple[list[Change], str]]:
    streams = _sensors().streams
    other = replace(streams[1], attributes={"room": Attribute(4), "degrees": Attribute(30)})
    widened = (streams[0], other, streams[2])
    known = catalogue(widened)
    by = "SELECT * FROM T [RANGE 2], {} [RANGE 2] WHERE {}"
    return {
        "twice": ([Change(0, add=_query(streams, "Q1", 3))], "'Q1' already exists"),
        "unknown": ([Change(0, remove="Q9")], "no query 'Q9'"),
        "none left": ([Change(0, remove="Q1"), Change(0, remove="Q2")], "leaves no query"),
        "label": ([Change(0, plan="S1,S2")], "S1,S2: no such plan"),
        "stream": (
            [Change(0, add=parse_query(by.format("U", "T.room = U.room"), "Q3", catalogue=known))],
            "no query of this run reads U",
        ),
        "key": (
            [
                Change(
                    0,
                    add=parse_query(by.format("H", "T.degrees = H.room"), "Q3", catalogue=known),
                )
            ],
            r"this run joins by .*room = .*room, not by",
        ),
        "attribute": (
            [Change(0, add=_query(widened, "Q3", 2, "AND H.degrees > 3"))],
            "were read without H.degrees",
        ),
    }


@pytest.mark.parametrize("mistake", list(_mistakes()))
def test_a_mistake_is_told_at_once_and_the_run_goes_on(mistake: str) -> None:
    changes, told = _mistakes()[mistake]
    driven = Driven(_request(), 1)
    driven.step()
    with pytest.raises(PlanError, match=told):
        driven.steering.ask(changes)
    assert driven.steering.wishes == ()
    plain = Driven(_request(steerable=False), 1)
    assert driven.tally().costs == plain.tally().costs


def test_wishes_that_wait_count_and_what_comes_too_late_is_refused() -> None:
    driven = Driven(_request(), 1)
    driven.steering.ask([Change(0, remove="Q1")])
    with pytest.raises(PlanError, match="no query 'Q1'"):
        driven.steering.ask([Change(0, remove="Q1")])
    driven.step()
    driven.steering.ask([Change(0, plan="pull-up")])
    driven.steering.close()
    assert [wish.answer for wish in driven.steering.wishes] == ["made", "refused"]
    assert "after the last micro-batch" in driven.steering.wishes[1].why
    with pytest.raises(RunError, match="cannot be changed now"):
        driven.steering.ask([Change(0, plan="pull-up")])


def test_a_run_that_is_not_open_to_change_says_so() -> None:
    with pytest.raises(RunError, match="cannot be changed while it runs"):
        replace(_request(), way="replay")
    request = _request()
    alone = replace(
        request, family="join_order", label="best", workload=request.workload.only("Q1")
    )
    with pytest.raises(RunError, match="plans of join_order cannot be changed"):
        prepare(alone, 1)
    driven = Driven(_request(steerable=False), 1)
    assert not driven.steering.open
    with pytest.raises(RunError, match="cannot be changed now"):
        driven.steering.ask([Change(0, remove="Q1")])


class Asking:
    """A page that asks for a change after each of these numbers of batches."""

    def __init__(self, wishes: Mapping[int, list[Change]], breaks_off_at: int = -1) -> None:
        self.steering = Steering()
        self._wishes, self._breaks_off_at = wishes, breaks_off_at

    def __call__(self, progress: Progress) -> None:
        if progress.batches_done in self._wishes:
            self.steering.ask(self._wishes[progress.batches_done])
        if progress.batches_done == self._breaks_off_at:
            raise OSError("no room left")


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_on_spark_steered_broken_off_and_resumed() -> None:
    streams = _sensors().streams
    wishes = {
        1: [Change(0, add=_query(streams, "Q3", 4, "AND T.degrees > 20"))],
        2: [Change(0, remove="Q1"), Change(0, add=_query(streams, "Q1", 8))],
        4: [Change(0, plan="pull-up")],
    }
    asking = Asking(wishes, breaks_off_at=5)
    with pytest.raises(RunError, match="was interrupted"):
        run(_request(), asking, steering=asking.steering)
    assert [wish.answer for wish in asking.steering.wishes] == ["made"] * 3
    broken = History().runs(status="failed")[0]
    assert [change.plan for change in broken.request.steered] == [None, None, None, "pull-up"]
    resumed = resume(broken.id)
    found = resumed.measurement
    assert found is not None
    planned = Driven(RunRequest(resumed.workload, "sliced_chain", "mem-opt"), 1).tally()
    assert {query: (found.results[query], found.answers[query]) for query in found.answers} == {
        query: (count, as_text(digest)) for query, (count, digest) in planned.by_query.items()
    }
    assert found.costs == planned.costs
    assert all(count > 0 for count in found.results.values())
    # The history has it under the workload that was asked for, with what became of it.
    kept = History().get(resumed.id)
    assert kept == run_from_json(json.loads(json.dumps(run_to_json(resumed))))
    assert (kept.request.workload, kept.workload) == (_sensors(), resumed.workload)
    assert kept.plan == resumed.plan
