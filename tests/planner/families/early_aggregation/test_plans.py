"""Early aggregation: rules, plans, the exact search, the paper's showcases, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import pytest

from planner.errors import PlanError
from planner.families.early_aggregation import EarlyAggregation
from planner.families.early_aggregation.model import model_of
from planner.families.early_aggregation.pricing import PRINTED, REFINED
from planner.families.early_aggregation.published_model import PrintedModel
from planner.families.early_aggregation.search import pipelines
from planner.families.early_aggregation.states import state_arrays, state_of
from planner.families.registry import family
from planner.joins.upkeep import MIDDLE
from planner.plan.cost import UnitCosts, Units, models_behind, total
from planner.plan.plan import Operator, Plan
from planner.report.replanning_report import unit_of
from planner.whatif.rates import RateTrace
from planner.whatif.replanning import replan
from planner.workload.execution import Every, Execution
from planner.workload.streams import RelationChanges
from planner.workload.workload import Workload
from tests.planner.aggregations import AGGREGATION_SAMPLES, HASHED, aggregation, two_way
from tests.planner.spaces import ranked_by_seconds, why
from tests.planner.workloads import SAMPLES

FAMILY = EarlyAggregation()


def _operators(plan: Plan, kind: str) -> list[Operator]:
    return [operator for operator in plan.operators() if operator.kind == kind]


# --- rules and plans ------------------------------------------------------------------------------


def test_rules_give_each_set_its_attributes_and_functions() -> None:
    workload = aggregation(
        "SELECT S1.g, MIN(S1.x), SUM(S1.x), AVG(S2.x) FROM S1 [RANGE 5], S2 [RANGE 5], "
        "S3 [RANGE 5] WHERE S1.j = S2.j AND S2.k < S3.h GROUP BY S1.g"
    )
    first, second, third = FAMILY.space(workload).rules()
    assert (first.group_text, first.functions_text) == (
        "S1.j, S1.g",
        "min(S1.x), sum(S1.x), count(*)",
    )
    assert (second.group_text, second.functions_text) == ("S2.j, S2.k", "avg(S2.x), count(*)")
    assert (third.group_text, third.functions_text) == ("S3.h", "count(*)")
    assert "Rule 1" in first.why_group
    assert "no grouping attribute" in third.why_group
    assert "counts rows" in third.why_functions


def test_a_set_with_all_that_is_aggregated_needs_no_count() -> None:
    workload = aggregation(
        "SELECT S1.g, SUM(S1.x) FROM S1 [RANGE 5], S2 [RANGE 5] WHERE S1.j = S2.j GROUP BY S1.g"
    )
    assert [rule.functions_text for rule in FAMILY.space(workload).rules()] == [
        "sum(S1.x)",
        "count(*)",
    ]


def test_a_set_is_probed_where_an_early_aggregation_stands() -> None:
    workload = AGGREGATION_SAMPLES["three on one attribute"]
    plan = FAMILY.space(workload).plan("EAP-101")
    probes = _operators(plan, "probe")
    assert {(p.param("source"), p.param("content")) for p in probes} == {
        ("S1", "set"),
        ("S2", "window"),
        ("S3", "set"),
    }
    assert [name for name, _ in probes[0].params] == [
        "origin", "step", "source", "content", "access", "buckets",
    ]  # fmt: skip
    for probe in probes:
        kind = "aggregate" if probe.param("content") == "set" else "expire"
        assert probe.inputs[1].kind == kind
    (update,) = _operators(plan, "update")
    assert [end.param("origin") for end in update.inputs] == ["S1", "S2", "S3"]
    assert dict(update.params) == {
        "query": "Q1",
        "group": "S1.g, S3.h",
        "functions": "count(*)",
    }
    assert plan.roots[0].kind == "output"


def test_a_label_has_a_digit_for_each_source() -> None:
    workload = AGGREGATION_SAMPLES["sliding"]
    assert [plan.label for plan in FAMILY.space(workload).candidates()] == [
        "LAP",
        "EAP-10",
        "EAP-01",
        "EAP-11",
    ]
    for wrong in ("EAP-1", "EAP-012", "EAP-12", "lap", "EAP-00"):
        with pytest.raises(PlanError, match="no plan"):
            FAMILY.space(workload).plan(wrong)


# --- the search -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", ["three on one attribute", "three on two attributes"])
def test_every_pipeline_is_the_cheapest_of_all_orders(sample: str) -> None:
    model = model_of(AGGREGATION_SAMPLES[sample])
    arrays = state_arrays(model)
    for found, mask in product(pipelines(model), model.masks):
        origin, costs = found.origin, []
        for order in permutations(p for p in range(model.count) if p != origin):
            spent, joined = 0.0, 1 << origin
            for target in order:
                state = state_of(mask, joined, origin)
                is_set = bool(mask >> target & 1)
                spent += arrays.comparisons(origin, target, is_set)[state]
                joined |= 1 << target
            costs.append(spent)
        everything = (1 << model.count) - 1
        assert found.comparisons[state_of(mask, everything, origin)] == pytest.approx(min(costs))


def _ten_way(execution: Execution) -> Workload:
    streams = {
        f"S{n}": (float(1 + n % 3), {"j": 10 + 7 * n, "k": 5 + n, "g": 3 + n}) for n in range(1, 11)
    }
    sources = ", ".join(f"S{n} [RANGE {20 + 5 * n}]" for n in range(1, 11))
    links = " AND ".join(
        f"S{n}.{'j' if n % 2 else 'k'} = S{n + 1}.{'j' if n % 2 else 'k'}" for n in range(1, 10)
    )
    text = f"SELECT S1.g, S5.g, COUNT(*) FROM {sources} WHERE {links} GROUP BY S1.g, S5.g"
    return aggregation(text, execution, streams, {})


def test_ten_sources_are_ranked_exactly() -> None:
    workload = _ten_way(HASHED)
    ranking = FAMILY.space(workload).rank(top=3)
    assert ranking.considered == 1024
    plan = FAMILY.space(workload).best()
    assert plan.label == ranking.best
    priced = total(FAMILY.space(workload).estimate(plan).costs, [root.id for root in plan.roots])
    assert priced.as_dict() == pytest.approx(ranking.candidates[0].cost.as_dict())


# --- models and formulas --------------------------------------------------------------------------

# Groups of each stream, 1 / selectivity, window, and the plan that wins: Figure 10.
SHOWCASES = [
    ((1500, 1500), 100, 500, "LAP"),
    ((1, 1500), 100, 500, "EAP-10"),
    ((1500, 1), 100, 500, "EAP-01"),
    ((150, 150), 10, 2000, "EAP-11"),
]


@pytest.mark.parametrize(("groups", "values", "window", "winner"), SHOWCASES)
@pytest.mark.parametrize("rate", [100, 300, 500])
def test_each_plan_wins_its_showcase_in_the_printed_model(
    groups: tuple[int, int], values: int, window: int, winner: str, rate: int
) -> None:
    model = model_of(two_way((window, window), groups, values, (rate, 500)))
    printed = PrintedModel(model)
    scores = {model.label(mask): printed.score(mask) for mask in model.masks}
    assert min(scores, key=lambda label: scores[label]) == winner


@pytest.mark.parametrize(("groups", "values", "window", "winner"), SHOWCASES)
def test_each_plan_wins_its_showcase_in_the_refined_model_or_nearly_so(
    groups: tuple[int, int], values: int, window: int, winner: str
) -> None:
    """With 150,000 cells for 500 tuples a set has 499 entries: the one it spares pays for it."""
    workload = two_way((window, window), groups, values, (300, 500))
    ranking = FAMILY.space(workload).rank(top=4)
    scores = {c.label: c.score for c in ranking.candidates}
    assert scores[winner] <= 1.001 * scores[ranking.best]
    others = sorted(score for label, score in scores.items() if label != winner)
    assert scores[winner] < others[1], "no two plans are better"


def test_printed_equations_two_way_nested() -> None:
    """Equation 8 by hand, with unit costs: 2 lambda (alpha + U + alpha/B + n alpha/B_g)."""
    model = model_of(two_way((2000, 2000), (150, 150), 10, (100, 500)))
    printed = PrintedModel(model)
    entries, found, groups = 1500, 150, 150 * 150
    each = entries + 1 + entries / 10 + found * groups / 150
    assert printed.score(0b11) == pytest.approx(2 * (100 + 500) * each)
    late = 2000 + 1 + 200 * groups / 150
    assert printed.score(0) == pytest.approx(2 * (100 + 500) * late)


def test_printed_equations_two_way_hashed() -> None:
    """Equation 12 by hand, with as many buckets as keys."""
    model = model_of(two_way((5000, 5000), (150, 1), 10, execution=HASHED))
    printed = PrintedModel(model)
    first = 10 / 10 + 1 + 1500 / 10 + 1
    second = 1500 / 10 + 1 + 10 / 10 + 150
    assert printed.score(0b11) == pytest.approx(2 * 300 * (first + second))


def test_both_models_are_named() -> None:
    workload = AGGREGATION_SAMPLES["sliding"]
    plan = FAMILY.space(workload).plan("EAP-11")
    estimate = FAMILY.space(workload).estimate(plan)
    assert REFINED in models_behind(estimate)
    told = {f.model for operator in plan.operators() for f in estimate.formulas[operator.id]}
    assert {REFINED, PRINTED} <= told
    landmark = AGGREGATION_SAMPLES["landmark"]
    models = models_behind(FAMILY.space(landmark).estimate(FAMILY.space(landmark).plan("LAP")))
    assert any(MIDDLE in model for model in models)
    assert any("no steady state" in sentence for sentence in why(FAMILY.space(landmark)))


def test_a_block_that_is_dropped_as_a_whole_is_not_taken_out_tuple_by_tuple() -> None:
    together = AGGREGATION_SAMPLES["tumbling"]
    each = AGGREGATION_SAMPLES["tumbling and sliding"]
    for workload, events in ((together, 1), (each, 2)):
        plan = FAMILY.space(workload).plan("EAP-10")
        estimate = FAMILY.space(workload).estimate(plan)
        (held,) = _operators(plan, "aggregate")
        assert estimate.costs[held.id].group_updates == events * 4


# --- answers --------------------------------------------------------------------------------------


def test_the_answer_says_who_wins_by_how_much_and_why() -> None:
    workload = AGGREGATION_SAMPLES["default setting"]
    ranking = FAMILY.space(workload).rank(top=10)
    answer = FAMILY.space(workload).explanation(ranking).answer
    late = next(c for c in ranking.candidates if c.label == "LAP")
    best = ranking.candidates[0]
    assert answer.startswith("Aggregate S1 and S2 before the join wins: ")
    assert f"{late.score / best.score:.2g}x cheaper than “Aggregate after the join (LAP)”" in answer
    assert "groups in a window of 5,000" in answer
    assert ranking.by.figure == "operations"
    assert {tag for c in ranking.candidates for tag in c.tags} == {"best", "baseline", "worst"}


def test_sets_that_spare_little_are_no_reason() -> None:
    text = (
        "SELECT S1.g, COUNT(*) FROM S1 [RANGE 50], S2 [RANGE 50], R "
        "WHERE S1.j = S2.j AND S2.j = R.j GROUP BY S1.g"
    )
    relations = {"R": (6, {"j": 20})}
    workload = aggregation(text, HASHED, relations=relations)
    ranking = FAMILY.space(workload).rank(top=10)
    assert ranking.best == "EAP-111"
    answer = FAMILY.space(workload).explanation(ranking).answer
    assert answer.endswith(
        "because S1 has 40 groups in a window of 200 and S2 has 8 groups in a window of 250."
    )


def test_lap_wins_where_sets_spare_nothing() -> None:
    workload = two_way((500, 500), (1500, 1500), 100)
    answer = FAMILY.space(workload).explanation(FAMILY.space(workload).rank(top=10)).answer
    assert answer.startswith("Aggregate after the join (LAP) wins: ")
    assert "sets spare too little" in answer
    assert (
        "needs" not in FAMILY.space(workload).explanation(FAMILY.space(workload).rank(top=1)).answer
    )


def test_a_small_advantage_is_told_in_percent() -> None:
    workload = AGGREGATION_SAMPLES["auctions"]
    ranking = FAMILY.space(workload).rank(top=10)
    scores = {c.label: c.score for c in ranking.candidates}
    assert scores[ranking.best] < scores["LAP"] < 1.1 * scores[ranking.best]
    answer = FAMILY.space(workload).explanation(ranking).answer
    assert "% less than “Aggregate after the join (LAP)”, because" in answer


def test_changing_rates_are_told_in_operations() -> None:
    workload = AGGREGATION_SAMPLES["sliding"]
    names = tuple(stream.name for stream in workload.streams)
    trace = RateTrace(names, (0.0,), (tuple(10.0 for _ in names),), 60.0)
    assert unit_of(replan(workload, trace, FAMILY)) == "operations"


def test_plans_rank_by_seconds() -> None:
    workload = AGGREGATION_SAMPLES["sliding"]
    units = UnitCosts(Units(compare=1e-9, insert=1e-9, group_update=1.0), "declared")
    by_seconds = ranked_by_seconds(FAMILY.space(workload, units), 4)
    # With dear updates alone, the fewest of them win.
    fewest = min(by_seconds.candidates, key=lambda c: c.cost.group_updates)
    assert by_seconds.best == fewest.label


# --- what is left out and refused ----------------------------------------------------------------


def test_distinct_counts_run_late_alone() -> None:
    workload = AGGREGATION_SAMPLES["distinct"]
    ranking = FAMILY.space(workload).rank()
    assert [c.label for c in ranking.candidates] == ["LAP"]
    assert [label for label, _ in ranking.excluded] == ["EAP-10", "EAP-01", "EAP-11"]
    assert "needs every value" in ranking.excluded[0][1]
    with pytest.raises(PlanError, match="cannot be run"):
        FAMILY.space(workload).plan("EAP-11")


def test_a_relation_that_changes_is_joined_late() -> None:
    workload = AGGREGATION_SAMPLES["relation"]
    relation = replace(workload.relations[0], changes=RelationChanges(1, 1))
    changing = replace(workload, relations=(relation,))
    ranking = FAMILY.space(changing).rank()
    assert [c.label for c in ranking.candidates] == ["LAP"]
    assert "R changes" in ranking.excluded[0][1]


def test_a_set_that_nothing_would_probe_is_left_out() -> None:
    ranking = FAMILY.space(AGGREGATION_SAMPLES["relation"]).rank()
    assert sorted(c.label for c in ranking.candidates) == ["EAP-01", "LAP"]
    assert [label for label, _ in ranking.excluded] == ["EAP-10", "EAP-11"]
    assert "no tuple would probe the set of S1" in ranking.excluded[0][1]


def test_one_source_has_one_plan() -> None:
    workload = AGGREGATION_SAMPLES["one source"]
    ranking = FAMILY.space(workload).rank()
    assert [c.label for c in ranking.candidates] == ["LAP"]
    assert ranking.excluded[0][0] == "EAP-1"
    assert "one source" in FAMILY.space(workload).explanation(ranking).answer


def test_what_is_refused_is_said_plainly() -> None:
    def refused(workload: Workload) -> str:
        return FAMILY.refuses(workload) or ""

    sliding = AGGREGATION_SAMPLES["sliding"]
    assert "join orders plan SELECT *" in refused(SAMPLES["table 5"])
    assert "join orders are planned for SELECT *" in (family("join_order").refuses(sliding) or "")
    lazy = replace(sliding, execution=Execution(evaluate=Every(5)))
    assert "set execution.evaluate: eager" in refused(lazy)
    expiring = replace(sliding, execution=Execution(expire=Every(5)))
    assert "execution.expire" in refused(expiring)
    query = sliding.queries[0]
    two = replace(sliding, queries=(query, replace(query, name="Q2")))
    assert "one query at a time" in refused(two)
    streams = {f"S{n}": (1.0, {"j": 5}) for n in range(13)}
    sources = ", ".join(f"S{n} [RANGE 1]" for n in range(13))
    links = " AND ".join(f"S{n}.j = S{n + 1}.j" for n in range(12))
    many = aggregation(f"SELECT COUNT(*) FROM {sources} WHERE {links}", None, streams, {})
    assert "at most 12" in refused(many)
    unknown = {"S1": (1.0, {"j": 5, "g": {"type": "string"}}), "S2": (1.0, {"j": 5})}
    text = "SELECT S1.g, COUNT(*) FROM S1 [RANGE 1], S2 [RANGE 1] WHERE S1.j = S2.j GROUP BY S1.g"
    assert "S1.g has no distinct count" in refused(aggregation(text, None, unknown, {}))
    named = {"S1": (1.0, {"j": 5, "g": {"values": ["a", "b"]}}), "S2": (1.0, {"j": 5})}
    for function in ("SUM", "AVG"):
        summed = aggregation(text.replace("COUNT(*)", f"{function}(S1.g)"), None, named, {})
        assert refused(summed) == "S1.g holds text; SUM and AVG need numbers"
