"""Groups of queries that share a join, and the operators of every strategy."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from planner.errors import PlanError
from planner.families.sliced_chain import SlicedChain
from planner.families.sliced_chain.coverage import refusal
from planner.families.sliced_chain.plans import build
from planner.files.workload_file import load_workload
from planner.joins.shared.query_groups import groups_of
from planner.joins.shared.shares import evaluation_of
from planner.plan.operator_names import part_of, parts_of_plan
from planner.plan.plan import Operator, Plan
from planner.whatif.axes import parse_axis
from planner.whatif.sweeps import sweep
from planner.workload.execution import Execution
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from tests.planner.chains import joined, joins
from tests.planner.spaces import why

PROJECT = Path(__file__).resolve().parents[4]
PLAIN = joins([joined(5), joined(10), joined(30)])
FILTERED = joins([joined(5), joined(10, "A.v > 50"), joined(30, "A.v > 80", "B.v < 50")])


def plan(workload: Workload, label: str) -> Plan:
    return build(groups_of(workload), [q.name for q in workload.queries], label).plan


def kinds(built: Plan) -> Counter[str]:
    return Counter(operator.kind for operator in built.operators())


def of_kind(built: Plan, kind: str) -> list[Operator]:
    return [operator for operator in built.operators() if operator.kind == kind]


def test_queries_share_whatever_their_aliases_and_order_in_from() -> None:
    workload = joins(
        [joined(5), "SELECT * FROM B y [RANGE 9], A x [RANGE 7] WHERE y.k = x.k AND x.v > 3"]
    )
    (group,) = groups_of(workload)
    assert group.streams == ("A", "B")
    assert group.members[1].windows == (7_000_000, 9_000_000)
    assert [str(c) for c in group.members[1].conditions] == ["A.v > 3", "true"]
    assert [group.text_of(length) for length in group.boundaries] == ["0", "5", "7", "9"]


def test_other_predicates_and_count_windows_make_groups_of_their_own() -> None:
    workload = joins(
        [
            joined(5),
            "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.v = B.v",
            "SELECT * FROM A [ROWS 50], B [ROWS 60] WHERE A.k = B.k",
            joined(8),
        ]
    )
    groups = groups_of(workload)
    assert [[m.query for m in group.members] for group in groups] == [["Q1", "Q4"], ["Q2"], ["Q3"]]
    built = plan(workload, "chain:0-5-8;0-5;0-50-60")
    assert [root.param("query") for root in built.roots] == ["Q1", "Q2", "Q3", "Q4"]
    assert len(of_kind(built, "slice")) == 5


def test_the_chain_of_every_boundary_has_a_slice_for_each_and_routes_nothing() -> None:
    built = plan(PLAIN, "chain:0-5-10-30")
    found = kinds(built)
    assert (found["slice"], found["route"], found["select"], found["union"]) == (3, 0, 0, 2)
    ends = [(op.param("start"), op.param("end")) for op in of_kind(built, "slice")]
    assert ends == [(0, 5), (5, 10), (10, 30)]


def test_a_merged_slice_routes_by_the_windows_inside() -> None:
    built = plan(PLAIN, "chain:0-30")
    assert [op.param("windows") for op in of_kind(built, "route")] == ["5, 10"]
    assert not of_kind(built, "union"), "one slice has all results"


def test_selects_stand_where_what_is_inside_need_not_pass() -> None:
    built = plan(FILTERED, "chain:0-5-10-30")
    selects = [(op.param("start"), op.param("condition")) for op in of_kind(built, "select")]
    assert sorted(selects) == [
        (0, "A.v > 50"),
        (0, "A.v > 80 and B.v < 50"),
        (5, "A.v > 50"),
        (5, "A.v > 80 and B.v < 50"),
    ], "only Q3 reaches the last slice: all that is inside passes"
    pulled = plan(FILTERED, "pull-up")
    assert [op.param("condition") for op in of_kind(pulled, "select")] == [
        "A.v > 50",
        "A.v > 80 and B.v < 50",
    ]


def test_the_survival_index_asks_for_the_largest_window_first() -> None:
    (group,) = groups_of(FILTERED)
    asked = evaluation_of(group, 0)
    assert [str(a.condition) for a in asked.asked] == ["A.v > 80", "A.v > 50"]
    assert asked.survival == asked.reach == 5_000_000, "Q1 asks nothing"
    assert evaluation_of(groups_of(PLAIN)[0], 0).asked == ()


def test_push_down_has_a_join_for_every_two_parts_that_serve_a_query() -> None:
    built = plan(FILTERED, "push-down")
    parts = {op.param("part"): op.param("end") for op in of_kind(built, "slice")}
    assert parts == {"11/1": 30, "11/0": 10, "10/1": 10, "10/0": 10, "00/1": 5, "00/0": 5}


def test_unshared_operators_carry_their_query() -> None:
    workload = joins([joined(5), joined(5)])
    built = plan(workload, "unshared")
    assert [op.param("query") for op in of_kind(built, "slice")] == ["Q1", "Q2"]


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("chain:0-5", "must end at 30"),
        ("chain:5-30", "begins with 0"),
        ("chain:0-7-30", "'7' is no window"),
        ("chain:0-10-5-30", "must rise"),
        ("chain:0-0-30", "must rise"),
        ("chain:0-30;0-30", "one group"),
        ("sliced", "unshared, pull-up, push-down"),
        ("chain:", "begins with 0"),
    ],
)
def test_a_wrong_label_is_told_what_is_right(label: str, told: str) -> None:
    with pytest.raises(PlanError, match=told):
        plan(PLAIN, label)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELECT COUNT(*) FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k", "early_aggregation"),
        ("SELECT * FROM A [RANGE 5], A b [RANGE 5] WHERE A.k = b.k", "with itself"),
        ("SELECT * FROM A [RANGE 5], B [ROWS 5] WHERE A.k = B.k", "RANGE and a ROWS"),
        ("SELECT * FROM A [LANDMARK], B [RANGE 5] WHERE A.k = B.k", "does not slide"),
        ("SELECT * FROM A [RANGE 5]", "one stream"),
        (
            "SELECT * FROM A [RANGE 5], B [RANGE 5], B c [RANGE 5] WHERE A.k = B.k AND B.k = c.k",
            "lie in different slices",
        ),
    ],
)
def test_what_is_not_covered_is_refused_by_query(text: str, told: str) -> None:
    reason = refusal(joins([joined(5), text]))
    assert reason is not None
    assert told in reason
    assert "Q2" in reason


def test_a_slice_hashes_both_streams_or_none() -> None:
    mixed = joins([joined(5)], execution=Execution(join={"A": "hash"}))
    assert "different ways" in str(refusal(mixed))


def test_queries_and_windows_can_be_swept() -> None:
    found = sweep(FILTERED, [parse_axis("queries.count=1:3:3")], SlicedChain())
    assert set(found.winner) <= {"cpu-opt", "unshared", "pull-up", "push-down"}
    assert found.plans[-1] == "unshared"
    widened = sweep(PLAIN, [parse_axis("queries.Q2.windows.A=6:29:4")], SlicedChain())
    assert widened.winner == ("cpu-opt",) * 4


@pytest.mark.parametrize("name", ["temperature-humidity", "thirty-six-windows"])
def test_samples_are_answered_by_a_chain(name: str) -> None:
    workload = load_workload((PROJECT / "sample_data" / f"{name}.yaml").read_bytes())
    ranking = SlicedChain().space(workload).rank(top=3)
    assert ranking.best.startswith("chain:")


def test_two_hundred_alerts_are_planned_at_once() -> None:
    workload = load_workload((PROJECT / "sample_data" / "two-hundred-alerts.yaml").read_bytes())
    known = SlicedChain()
    ranking = known.space(workload).rank(top=3)
    assert len(workload.queries) == 200
    assert known.space(workload).scores(["unshared"])[0] > 3 * ranking.candidates[0].score
    assert "192 more share" in " ".join(why(known.space(workload)))


def test_conditions_of_too_many_combinations_are_refused() -> None:
    streams = tuple(
        Stream(name, 5, {"k": Attribute(9), **{f"x{n}": Attribute(100) for n in range(20)}})
        for name in ("A", "B")
    )
    texts = [joined(n + 1, f"A.x{n} > 50") for n in range(20)]
    reason = refusal(joins(texts, streams=(streams[0], streams[1])))
    assert reason is not None
    assert "combinations" in reason


@pytest.mark.parametrize("text", [joined(9, "A.v > 500"), joined(9, "A.v > 0", "B.v < 0")])
def test_what_nothing_passes_and_what_hardly_arrives_is_priced(text: str) -> None:
    for execution in (Execution(), Execution(join="hash")):
        workload = joins([joined(5), text], rates=(1e-12, 20), execution=execution)
        known = SlicedChain()
        for built in known.space(workload).candidates():
            for cost in known.space(workload).estimate(built).costs.values():
                assert all(math.isfinite(v) and v >= 0 for v in cost.as_dict().values())
        assert known.space(workload).explanation(known.space(workload).rank()).answer


def test_parts_are_told_in_words() -> None:
    """Each join of push-down says which conditions its tuples pass, on both streams."""
    made = load_workload(
        "version: 1\n"
        "streams: [{name: A, rate: 5, attributes: {k: {distinct: 9}, v: {distinct: 9}}},"
        " {name: B, rate: 5, attributes: {k: {distinct: 9}, w: {distinct: 9}}}]\n"
        "queries:\n"
        '- {name: Q1, text: "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k AND A.v > 3"}\n'
        '- {name: Q2, text: "SELECT * FROM A [RANGE 9], B [RANGE 9] WHERE A.k = B.k AND B.w < 7"}\n'
        '- {name: Q3, text: "SELECT * FROM A [RANGE 9], A AS C [RANGE 9] WHERE A.k = C.k"}\n'
    )
    pushed = plan(made, "push-down")
    told = parts_of_plan(pushed)
    assert told["1/0 group 1"] == "A that pass A.v > 3 with B that do not pass B.w < 7"
    assert told["1/1 group 1"] == "A that pass A.v > 3 with B that pass B.w < 7"
    assert not any(
        part_of(operator) for operator in pushed.operators() if operator.kind == "arrive"
    )
