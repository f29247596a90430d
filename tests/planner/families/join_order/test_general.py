"""General plans: exact per origin, never dearer, connected, and read back from their labels."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.families.join_order import JoinOrder
from planner.families.join_order.model import model_of
from planner.families.join_order.order_pricer import Walker, Weights
from planner.families.join_order.plans import algorithm_of, loops_of
from planner.families.join_order.search import best_general
from planner.files.query.text import parse_query
from planner.joins.model import JoinModel
from planner.plan.plan import Plan
from planner.workload.execution import Every, Execution
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from tests.examples import examples
from tests.planner.join_graphs import (
    chain,
    clique,
    cycle,
    expensive_join,
    graph_join,
    mixed_join,
    star,
)
from tests.planner.spaces import why
from tests.planner.workloads import TABLE_5, equality_join, self_join

FAMILY = JoinOrder()

EXECUTIONS = [
    Execution(),
    Execution(join="hash"),
    Execution(join="hash", buckets=3, evaluate=Every(20)),
    Execution(join={"S1": "hash", "S3": "hash"}, evaluate=Every(4), expire=Every(12)),
    Execution(expire=Every(9)),
]
GRAPHS = [chain(4), star(4), cycle(4), clique(3), [(0, 1)]]
rates = st.lists(
    st.tuples(st.sampled_from([0.5, 2, 9]), st.sampled_from([5, 40])), min_size=4, max_size=4
)


SELF_JOINS = [
    replace(self_join(), execution=execution)
    for execution in (Execution(), Execution(join="hash"), EXECUTIONS[2])
]
others = st.sampled_from(
    [*SELF_JOINS, mixed_join(), mixed_join(EXECUTIONS[2]), expensive_join(50), expensive_join(1)]
)


@st.composite
def joins(draw: st.DrawFn) -> Workload:
    edges, execution = draw(st.sampled_from(GRAPHS)), draw(st.sampled_from(EXECUTIONS))
    count = 1 + max(place for edge in edges for place in edge)
    return graph_join(draw(rates)[:count], edges, execution)


def connected(model: JoinModel, order: tuple[int, ...]) -> bool:
    return all(model.graph.connected(order[:level], place) for level, place in enumerate(order))


def nest(model: JoinModel, weights: Weights, origin: int, order: tuple[int, ...]) -> float:
    levels = range(1, len(order))
    return sum(
        weights.comparison * model.comparisons(origin, order[:at], order[at])
        + weights.row * model.matches(origin, order[: at + 1])
        for at in levels
    )


@pytest.mark.parametrize("weights", [Weights(filter=0), Weights(2.0, 3.0, filter=0)])
@examples(25)
@given(st.one_of(joins(), others))
def test_the_search_finds_what_trying_every_order_finds(
    weights: Weights, workload: Workload
) -> None:
    model = model_of(workload)
    orders = [o for o in permutations(range(len(model.windows))) if connected(model, o)]
    expected = sum(
        min(nest(model, weights, origin, order) for order in orders) for origin in model.origins
    )
    loops, score = best_general(model, weights)
    assert score == pytest.approx(expected, rel=1e-9)
    assert Walker(model, weights).score(loops) == pytest.approx(expected, rel=1e-9)


@examples(12)
@given(st.one_of(joins(), others))
def test_general_is_never_dearer_and_every_listed_score_is_its_plans(workload: Workload) -> None:
    ranking = FAMILY.space(workload).rank()
    labels = [candidate.label for candidate in ranking.candidates]
    scores = [candidate.score for candidate in ranking.candidates]
    assert scores == sorted(scores)
    assert scores == pytest.approx(FAMILY.space(workload).scores(labels), rel=1e-9)
    model = model_of(workload)
    general = FAMILY.space(workload).scores([best_general(model)[0].label])[0]
    assert general <= min(scores) * (1 + 1e-9)
    assert ranking.best == labels[0] == FAMILY.space(workload).best().label
    assert ranking.considered == len(labels)
    assert any(label.startswith("naive:") for label in labels)
    searched = FAMILY.space(workload).scores(["multiway", "naive", "general"])
    best_of = [
        min(s for s, label in zip(scores, labels, strict=True) if algorithm_of(label) == name)
        for name in ("multiway", "naive")
    ]
    assert searched == pytest.approx((*best_of, general), rel=1e-9)
    space = FAMILY.space(workload)
    assert space.explanation(ranking).answer.startswith(space.title(labels[0]))
    assert why(FAMILY.space(workload))


@pytest.mark.parametrize("edges", [chain(12), star(12), cycle(12), clique(12)])
def test_twelve_streams_are_planned_exactly(edges: list[tuple[int, int]]) -> None:
    workload = graph_join([(1 + place % 3, 10 + place) for place in range(12)], edges)
    space = FAMILY.space(workload)
    ranking = space.rank(top=10)
    assert ranking.truncated
    assert ranking.best == ranking.candidates[0].label
    assert space.explanation(ranking).answer.startswith(space.title(ranking.best))


def shape(plan: Plan) -> list[str]:
    """Each origin's loops as text: content of the first loop, then every probe."""
    lines = []
    for last in plan.roots[0].inputs:
        steps, end = [], last
        while end.kind == "probe":
            what = [end.param("source"), end.param("access"), end.inputs[1].kind]
            what += [value for name, value in end.params if name == "on"]
            steps.append(" ".join(map(str, what)))
            origin, end = end.param("origin"), end.inputs[0]
        lines.append(
            f"{origin}: " + " > ".join([f"{end.param('source')} {end.kind}", *steps[::-1]])
        )
    return lines


def test_the_operators_of_a_naive_plan() -> None:
    workload = equality_join(TABLE_5[:3], Execution(join="hash", evaluate=Every(5)))
    plan = FAMILY.space(workload).plan("naive:S2,S1,S3")
    assert shape(plan) == [
        "S1: S2 expire > S1 scan arrive > S3 hash expire",
        "S2: S2 arrive > S1 hash expire > S3 hash expire",
        "S3: S2 expire > S1 hash expire > S3 scan arrive",
    ]
    assert plan.roots[0].params == (("query", "Q1"), ("evaluate", "every 5"))
    whens = {op.param("when") for op in plan.operators() if op.kind == "expire"}
    assert whens == {"every 5"}, "with lazy evaluation tuples leave then at the earliest"


def test_the_operators_of_a_general_plan_on_several_attributes() -> None:
    workload = mixed_join(Execution(join="hash"))
    label = "general:A=C,A,B,R;B=B,R,A,C;C=R,B,A,C"
    plan = FAMILY.space(workload).plan(label)
    assert plan.label == label
    assert shape(plan) == [
        "A: C expire > A scan filter > B hash expire k > R hash table r",
        "B: B arrive > R hash table r > A hash expire k > C scan expire",
        "C: R table > B hash expire r > A hash expire k > C scan arrive",
    ]
    assert FAMILY.space(workload).loops(plan)["C"] == ("R", "B", "A", "C")


def test_a_multiway_order_takes_the_first_linked_source() -> None:
    workload = graph_join([(1, 10)] * 4, chain(4))
    loops = FAMILY.space(workload).loops(FAMILY.space(workload).plan("S4,S1,S3,S2"))
    assert loops == {
        "S1": ("S1", "S2", "S3", "S4"),
        "S2": ("S2", "S1", "S3", "S4"),
        "S3": ("S3", "S4", "S2", "S1"),
        "S4": ("S4", "S3", "S2", "S1"),
    }


def test_where_new_tuples_go_first_a_general_plan_is_the_multiway_one() -> None:
    workload = equality_join(TABLE_5[:3])
    same = "general:S1=S1,S2,S3;S2=S2,S1,S3;S3=S3,S1,S2"
    one, other = (FAMILY.space(workload).plan(label) for label in (same, "S1,S2,S3"))
    assert one.roots == other.roots


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("naive:S1,S3,S2,S4", "no predicate links S3 with S1"),
        ("general:S1=S1,S2,S4,S3;S2=S2,S1,S3,S4;S3=S3,S2,S1,S4;S4=S4,S3,S2,S1", "links S4"),
        ("naive:S1,S2", "such as S1,S2,S3,S4"),
        ("general:S1=S1,S2,S3,S4", "names each stream once"),
        ("general:", "names each stream once"),
        ("general:S1=S1;S2=S2;S3=S3;S4=S4", "such as S1,S2,S3,S4"),
        ("lazy:S1,S2,S3,S4", "such as S1,S2,S3,S4"),
    ],
)
def test_a_label_that_names_no_plan_is_told_why(label: str, said: str) -> None:
    workload = graph_join([(1, 10)] * 4, chain(4))
    with pytest.raises(PlanError, match=said):
        FAMILY.space(workload).plan(label)


def test_labels_are_read_back() -> None:
    model = model_of(mixed_join())
    for candidate in FAMILY.space(mixed_join()).rank().candidates:
        assert loops_of(model, candidate.label).label == candidate.label


CROSSED = (
    "SELECT * FROM A [RANGE 10], B [RANGE 5] CROSS JOIN C [RANGE 3] JOIN D [RANGE 3] ON C.y = D.y "
    "WHERE A.x = B.x"
)


def crossed_join(text: str = CROSSED) -> Workload:
    streams = tuple(
        Stream(name, rate, {"x": Attribute(3), "y": Attribute(4)})
        for name, rate in {"A": 2, "B": 1, "C": 3, "D": 2}.items()
    )
    return Workload("crossed", streams, (parse_query(text, "Q1"),))


def test_parts_are_joined_where_a_cross_join_is_written() -> None:
    workload = crossed_join()
    labels = [candidate.label for candidate in FAMILY.space(workload).rank().candidates]
    assert {"A,B,C,D", "naive:C,A,B,D", "naive:D,C,A,B"} <= set(labels)
    assert "naive:D,A,B,C" not in labels, "A and D are linked through others only"
    assert FAMILY.space(workload).loops(FAMILY.space(workload).plan("A,B,C,D"))["D"] == (
        "D",
        "C",
        "A",
        "B",
    )
    rows = FAMILY.space(workload).rank(top=1).candidates[0].cost.rows_out
    pairs = 20 * 5 / 3, 9 * 6 / 4
    rates = (2 / 20 + 1 / 5) + (3 / 9 + 2 / 6)
    assert rows == pytest.approx(rates * pairs[0] * pairs[1])


@pytest.mark.parametrize(
    "text",
    [
        CROSSED.replace(" CROSS JOIN", ","),
        "SELECT * FROM A [RANGE 10], B [RANGE 5] CROSS JOIN C [RANGE 3]",
        "SELECT * FROM A [RANGE 10], B [RANGE 5]",
    ],
)
def test_a_join_in_parts_is_refused_unless_crossed(text: str) -> None:
    assert "write CROSS JOIN" in str(FAMILY.refuses(crossed_join(text)))


def test_a_cross_join_beside_predicates_changes_nothing() -> None:
    text = "SELECT * FROM A [RANGE 10], B [RANGE 5] WHERE A.x = B.x"
    plain, crossed = (crossed_join(t) for t in (text, text.replace(",", " CROSS JOIN")))
    assert model_of(plain) == model_of(crossed)
