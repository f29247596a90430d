"""Schedules as plans: operators and prices, what is refused, words, and queries that change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.families.capabilities import Changes
from planner.families.registry import family
from planner.families.shared_schedule.coverage import refusal
from planner.families.shared_schedule.delays.sample import drawn_sample
from planner.families.shared_schedule.labels import LWO
from planner.families.shared_schedule.model import ScheduleModel, model_of
from planner.families.shared_schedule.plans import built
from planner.families.stages import planned_stages, whole_estimate, whole_plan
from planner.files.query.text import parse_query
from planner.plan.cost import Cost, Estimate, total
from planner.plan.operator_names import operator_name
from planner.plan.plan import Operator
from planner.plan.plan_text import to_text
from planner.seconds.units import units_of
from planner.whatif.axes import Axis
from planner.whatif.sweep_paths import paths
from planner.whatif.sweeps import sweep
from planner.workload.execution import Change, Every, Execution, RunSettings
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload
from tests.planner.chains import joined, joins
from tests.planner.schedules import TABLE_1, scheduled, urgent

SCHEDULE = family("shared_schedule")
FILTERED = joins(
    [joined(2), joined(5, "A.v > 50"), joined(5, "A.v > 50", "B.v < 20"), joined(10)],
    execution=Execution(utilisation=0.7),
)


def operators(workload: Workload, label: str) -> dict[str, list[tuple[Operator, Cost]]]:
    space = SCHEDULE.space(workload)
    plan = space.plan(label)
    costs = space.estimate(plan).costs
    found: dict[str, list[tuple[Operator, Cost]]] = {}
    for operator in plan.operators():
        found.setdefault(operator.kind, []).append((operator, costs[operator.id]))
    return found


def test_a_plan_as_text() -> None:
    space = SCHEDULE.space(FILTERED)
    plan = space.plan("MQT@chain:0-5-10")
    assert to_text(plan).splitlines()[:8] == [
        "shared_schedule MQT@chain:0-5-10",
        "├─ output query=Q1",
        "│  └─ route window=2",
        "│     └─ schedule policy=MQT ties=larger points=0-5-10",
        "│        └─ join left=A right=B on=A.k = B.k window=10 access=scan buckets=1",
        "│           ├─ arrive source=A stream=A",
        "│           └─ arrive source=B stream=B",
        "├─ output query=Q2",
    ]
    names = [operator_name(operator) for operator in plan.operators()]
    assert {"schedule MQT", "route 2", "filter Q2: A.v > 50", "output Q4"} <= set(names)


def test_the_work_of_the_join_does_not_depend_on_the_policy() -> None:
    costs = {label: operators(FILTERED, label) for label in ("LWO", "SWF", "MQT", "FAIR", "OUT")}
    ((_, join),) = costs["LWO"]["join"]
    # 20 and 30 tuples a second, 10 seconds, ten values.
    assert join.comparisons == pytest.approx(2 * 20 * 30 * 10)
    assert join.rows_out == pytest.approx(2 * 20 * 30 * 10 / 10)
    assert (join.inserts, join.expirations) == pytest.approx((50, 100))
    assert join.state_tuples == pytest.approx(500 + 20 / 30 + 30 / 20, rel=1e-3)
    for own in costs.values():
        assert own["join"][0][1] == join
        filters = [cost for _, cost in own["filter"]]
        assert filters == [cost for _, cost in costs["LWO"]["filter"]]
    looks = {label: [cost.comparisons for _, cost in own["route"]] for label, own in costs.items()}
    # Matches per second up to 2, 5 and 10 seconds: 240, 600 and 1200.
    assert looks["LWO"] == pytest.approx([1200, 1200 - 240, 0])
    assert looks["SWF"] == looks["MQT"] == looks["FAIR"] == looks["OUT"] == [0, 0, 0]
    sliced = [cost.comparisons for _, cost in operators(FILTERED, "MQT@chain:0-5-10")["route"]]
    assert sliced == pytest.approx([600, 0, 0])


def test_filters_come_after_routing() -> None:
    found = operators(FILTERED, "MQT")
    assert [cost.rows_out for _, cost in found["route"]] == pytest.approx([240, 600, 1200])
    assert [cost.comparisons for _, cost in found["filter"]] == pytest.approx([600, 600 + 300])
    assert [cost.rows_out for _, cost in found["output"]] == pytest.approx([240, 300, 57, 1200])


def test_held_tuples_follow_littles_law() -> None:
    space = SCHEDULE.space(scheduled(TABLE_1["Small-Large"]))
    for label in ("LWO", "SWF", "MQT"):
        prediction = space.predictions.of(space.schedule(label))  # type: ignore[attr-defined]
        ((_, cost),) = operators(scheduled(TABLE_1["Small-Large"]), label)["schedule"]
        assert cost.state_tuples == pytest.approx(prediction.queue + prediction.held)
        assert prediction.queue == pytest.approx(200 * prediction.scans[-1])
        assert (prediction.held == 0) == (label == LWO)
    ((_, join),) = operators(scheduled(TABLE_1["Small-Large"]), "LWO")["join"]
    assert join.state_tuples == pytest.approx(120_000, rel=1e-3), "the paper's joinBuffers"


@pytest.mark.parametrize(
    "workload",
    [
        scheduled((2, 5, 20), (20, 60), 10, join="nested"),
        scheduled((2, 5, 20), (20, 60), 30, zipf=0.7, buckets=7),
        scheduled((2, 5, 20), (20, 60), 30, zipf=0.7),
        scheduled((20, 50, 300), (30, 20), 10, kind="ROWS"),
        scheduled((20, 50, 300), (30, 20), 10, kind="ROWS", join="nested"),
        scheduled((200, 5000), (300, 200), 30, zipf=0.7),
    ],
    ids=["nested", "seven buckets", "per value", "rows", "rows, nested", "too large to draw"],
)
def test_a_sample_examines_and_matches_what_the_model_says(workload: Workload) -> None:
    model = model_of(workload)
    clock = replace(model.clock(units_of(workload)), compare=1.0, output=0.0, load=1e-9)
    sample = drawn_sample(model, clock, 20_000)
    rate = len(sample.ts) / sample.seconds
    matches = sample.matches.sum(axis=0).cumsum() / sample.seconds
    expected = [model.matches(place).value for place in range(len(model.windows))]
    assert rate == pytest.approx(model.rate, rel=0.01)
    assert matches == pytest.approx(expected, rel=0.05)
    # Scans are scaled to the load as a whole: what is left to check is how they are spread.
    shares = np.diff(sample.spent.mean(axis=0)) / sample.spent[:, -1].mean()
    assert shares == pytest.approx(np.diff(model.lengths, prepend=0) / model.lengths[-1], rel=0.05)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT COUNT(*) FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k", "Q2 aggregates"),
        ("SELECT * FROM A [RANGE 5], B [RANGE 6] WHERE A.k = B.k", "give both streams of Q2"),
        ("SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k < B.k", "queries join differently"),
        ("SELECT * FROM A [ROWS 5], B [ROWS 5] WHERE A.k = B.k", "use RANGE or ROWS in all"),
        ("SELECT * FROM A [RANGE 5], B [ROWS 5] WHERE A.k = B.k", "RANGE and a ROWS"),
        ("SELECT * FROM A [LANDMARK], B [LANDMARK] WHERE A.k = B.k", "does not slide"),
        ("SELECT * FROM A [RANGE 5], A b [RANGE 5] WHERE A.k = b.k", "with itself"),
        (
            "SELECT * FROM A [RANGE 5], B [RANGE 5], B c [RANGE 5] WHERE A.k = B.k AND B.k = c.k",
            "joins 3 streams, and a scan goes through one window",
        ),
    ],
)
def test_what_is_not_covered_is_refused_in_one_sentence(text: str, reason: str) -> None:
    found = refusal(joins([joined(5), text]))
    assert found is not None
    assert reason in found
    assert "\n" not in found


def test_settings_that_do_not_fit_are_refused() -> None:
    for execution, reason in (
        (Execution(evaluate=Every(1)), "set execution.evaluate: eager"),
        (Execution(expire=Every(1)), "set execution.expire: eager"),
        (Execution(unit_costs={"insert": 1.0}), "give compare or output a time"),
        (Execution(join={"A": "hash"}), "hashes both or none"),
    ):
        assert reason in (refusal(joins([joined(5)], execution=execution)) or "")


# --- in words -------------------------------------------------------------------------------------


def test_the_answer_says_who_wins_who_gains_and_who_pays() -> None:
    space = SCHEDULE.space(scheduled(TABLE_1["Small-Large"], utilisation=0.9))
    answer = space.explanation(space.rank()).answer
    assert answer.startswith("Most queries first (MQT) wins: queries wait 13.")
    assert "1.6x shorter than under “Largest window only (LWO)”, because it scans first" in answer
    assert "Q1 [RANGE 1] waits 2." in answer
    by_worst = space.rank(space.objective("worst-query"))
    assert "no query waits more than" in space.explanation(by_worst).answer
    by_work = space.rank(space.objective("work"))
    assert space.explanation(by_work).answer.startswith(
        "Most delayed first (FAIR) wins: 24,000 comparisons per second of stream, compared with"
    )


def test_at_low_load_policies_look_alike() -> None:
    space = SCHEDULE.space(scheduled((2, 5, 20), (20, 60), 10, utilisation=None))
    answer = space.explanation(space.rank()).answer
    assert "load policies look alike" in answer
    assert "set execution.utilisation" in answer


def test_one_window_leaves_no_choice() -> None:
    space = SCHEDULE.space(scheduled((5, 5), (20, 60), 10))
    assert "the queries have one window" in space.explanation(space.rank()).answer
    scores = space.scores(space.rank().by and list(space.labels))  # type: ignore[attr-defined]
    assert max(scores) / min(scores) < 2, "SWF releases at ends of scans"


def test_ties_are_explained_where_they_decide() -> None:
    even, uneven = (
        SCHEDULE.space(scheduled(windows, utilisation=0.5))
        for windows in ((100, 200, 300), (1, 60, 300))
    )
    said = "MQT prefers the larger window (execution.ties)"
    assert any(said in text for text in even.explanation(even.rank()).why)
    assert not any(said in text for text in uneven.explanation(uneven.rank()).why)


def test_policies_by_weights_and_deadlines_are_listed_where_there_are_some() -> None:
    plain, own = SCHEDULE.space(scheduled((2, 5))), SCHEDULE.space(urgent(scheduled((2, 5))))
    assert plain.policies == ("LWO", "SWF", "MQT", "FAIR", "OUT")  # type: ignore[attr-defined]
    assert [c.label for c in plain.candidates()][:5] == ["LWO", "SWF", "MQT", "FAIR", "OUT"]
    assert [label for label, _ in plain.rank().excluded] == ["WMQT", "EDF"]
    policies = ["LWO", "SWF", "MQT", "WMQT", "EDF", "FAIR", "OUT"]
    assert [c.label for c in own.candidates()][:7] == policies
    assert own.rank().excluded == ()
    names = [by.name for by in own.objectives]
    assert names == [
        "delay", "worst-query", "p95", "output-delay", "stretch", "work", "seconds", "state",
        "weighted-delay", "lateness",
    ]  # fmt: skip


def test_objectives_read_measured_delays_too() -> None:
    space = SCHEDULE.space(urgent(scheduled((2, 5))))
    plan = space.plan("MQT")
    estimate = space.estimate(plan)
    one = replace(estimate.qualities["Q1"], delay_ms=1.0, isolated_delay_ms=0.5, delay_ms_p95=3.0)
    two = replace(estimate.qualities["Q2"], delay_ms=4.0, isolated_delay_ms=1.0, delay_ms_p95=10.0)
    seen = Estimate(estimate.costs, {"Q1": one, "Q2": two})
    figures = {by.name: by.of(plan, seen) for by in space.objectives}
    assert (figures["delay"], figures["worst-query"], figures["stretch"]) == (2.5, 4.0, 4.0)
    assert (figures["p95"], figures["weighted-delay"]) == (6.5, 3.0)
    assert figures["output-delay"] == pytest.approx((2 * 1 + 5 * 4) / 7), "results by window"
    assert figures["lateness"] == pytest.approx(10 / 50)
    nothing = Estimate({})
    assert {by.of(plan, nothing) for by in space.objectives} == {None}


# --- changes and what-if --------------------------------------------------------------------------


def changed() -> Workload:
    added = parse_query(joined(7), "late")
    changes = (Change(10, add=added), Change(20, remove="Q4"), Change(30, plan="SWF"))
    return replace(FILTERED, run=RunSettings(7, 10, 40, changes))


def test_queries_enter_and_leave_while_a_policy_stays() -> None:
    stages = planned_stages(SCHEDULE, changed(), "MQT@chain:0-5-10")
    assert [stage.plan.label for stage in stages] == ["MQT@chain:0-5-10", "MQT", "MQT", "SWF"]
    assert [len(stage.plan.roots) for stage in stages] == [4, 5, 4, 4]
    plan = whole_plan(stages)
    estimate = whole_estimate(SCHEDULE, stages, 0, 10_000_000, 50_000_000)
    assert set(estimate.costs) == {operator.id for operator in plan.operators()}
    assert set(estimate.qualities) == {"Q1", "Q2", "Q3", "Q4", "late"}


def test_a_query_that_entered_asks_for_the_age_of_members() -> None:
    model: ScheduleModel = model_of(FILTERED)
    space = SCHEDULE.space(FILTERED)
    changes = space.capability(Changes)
    assert changes is not None
    plan = space.plan("MQT")
    more = changes.cost_of_entered(plan, {"Q2": 5, "Q4": 5})
    kinds = {op.id: op for op in plan.operators()}
    looks = {kinds[name].kind: cost.comparisons for name, cost in more.items()}
    assert looks == pytest.approx({"filter": 600, "route": 1200})
    assert changes.cost_of_entered(plan, {}) == {}
    assert built(model, space.schedule("MQT")).plan.id == plan.id  # type: ignore[attr-defined]


def test_the_load_and_bursts_can_be_varied() -> None:
    workload = scheduled((5, 20, 100), (20, 20), 20)
    found = sweep(workload, [Axis("execution.utilisation", (0.2, 0.9))], SCHEDULE)
    assert len(found.winner) == 2
    bursts = scheduled((5, 20, 100), (20, 20), 20, Arrivals("pareto", 1.5))
    assert "streams.A.arrivals.burst" in paths(bursts)
    found = sweep(bursts, [Axis("streams.*.arrivals.burst", (1.2, 1.8))], SCHEDULE)
    assert len(found.winner) == 2


def test_totals_have_the_rows_of_the_queries() -> None:
    space = SCHEDULE.space(FILTERED)
    plan = space.plan("LWO")
    cost = total(space.estimate(plan).costs, [root.id for root in plan.roots])
    assert cost == space.rank().of("LWO").cost
    assert cost.rows_out == pytest.approx(240 + 300 + 57 + 1200)
