"""Drawings: what they show, and that no name in them acts."""

from __future__ import annotations

import re

import pytest

from planner.families.join_order import JoinOrder
from planner.families.sliced_chain import SlicedChain
from planner.plan.dot import escaped, join_tree, to_dot
from planner.plan.plan import Operator, Plan
from planner.plan.plan_text import Overlay, to_loops, to_text
from planner.workload.execution import Every, Execution
from tests.planner.chains import joins
from tests.planner.workloads import HYBRID, TABLE_5, TABLE_6, equality_join

FAMILY = JoinOrder()
NASTY = [
    '"];node[',
    "<script>",
    "<b>bold</b>",
    "\\",
    "\\N\\G\\",
    'a"b',
    "&lt;",
    "line\nbreak",
    "naïve 🌊",
    "x" * 5000,
]

# A DOT text is safe when it is nothing but strings, plain ids and the few marks of its grammar.
TOKEN = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|->|[\[\]{}=;,]|[\w.⋈-]+', re.DOTALL)


def well_formed(text: str) -> bool:
    return TOKEN.sub("", text) == "" and text.count("digraph") == 1


def test_a_tree_shows_each_operators_predicted_cost() -> None:
    workload = equality_join(TABLE_5[:2])
    plan = FAMILY.space(workload).plan("S1,S2")
    assert to_text(plan, FAMILY.space(workload).estimate(plan)) == (
        "join_order S1,S2\n"
        "└─ output query=Q1  [4 rows/s]\n"
        "   ├─ probe origin=S1 step=1 source=S2 access=scan buckets=1"
        "  [1,000 comparisons/s, 2 rows/s]\n"
        "   │  ├─ arrive source=S1 stream=S1  [10 rows/s]\n"
        "   │  └─ expire source=S2 when=eager  [12 expiry checks/s]\n"
        "   │     └─ insert source=S2 window=RANGE 100 access=scan buckets=1"
        "  [1 insert/s, 100 tuples held]\n"
        "   │        └─ arrive source=S2 stream=S2  [1 row/s]\n"
        "   └─ probe origin=S2 step=1 source=S1 access=scan buckets=1"
        "  [1,000 comparisons/s, 2 rows/s]\n"
        "      ├─ arrive source=S2 stream=S2\n"
        "      └─ expire source=S1 when=eager  [21 expiry checks/s]\n"
        "         └─ insert source=S1 window=RANGE 100 access=scan buckets=1"
        "  [10 inserts/s, 1,000 tuples held]\n"
        "            └─ arrive source=S1 stream=S1"
    )


def test_loops_follow_each_origins_pipeline() -> None:
    workload = equality_join(TABLE_6[:3], HYBRID)
    plan = FAMILY.space(workload).plan("S2,S1,S3")
    nests = to_loops(plan).split("\n\n")
    assert nests[2] == (
        "when a tuple arrives on S3\n"
        "  for each tuple of S2 that matches\n"
        "    for each tuple of S1's bucket of the key (1 of 7) that matches\n"
        "      return (S3, S2, S1)"
    )
    assert "S3's entry of the key" in nests[0]
    assert "comparisons/s]" in to_loops(plan, FAMILY.space(workload).estimate(plan))


def test_a_chain_of_slices_has_no_loops() -> None:
    chained = joins(f"SELECT * FROM A [RANGE {s}], B [RANGE {s}] WHERE A.k = B.k" for s in (5, 9))
    assert to_loops(SlicedChain().space(chained).plan("chain:0-5-9")) == ""


def test_loops_show_where_new_tuples_stand() -> None:
    naive = to_loops(FAMILY.space(equality_join(TABLE_5[:3])).plan("naive:S1,S2,S3")).split("\n\n")
    assert naive[1] == (
        "when a tuple arrives on S2\n"
        "  for each tuple of S1\n"
        "    if S2 matches\n"
        "      for each tuple of S3 that matches\n"
        "        return (S1, S2, S3)"
    )
    lazy = equality_join(TABLE_5[:3], Execution(evaluate=Every(5)))
    nests = to_loops(FAMILY.space(lazy).plan("naive:S1,S2,S3")).split("\n\n")
    assert nests[0].startswith("every 5 s, for new tuples of S1\n  for each new tuple of S1\n")
    assert nests[2].splitlines()[1:4] == [
        "  for each tuple of S1",
        "    for each tuple of S2 that matches",
        "      for each new tuple of S3 that matches",
    ]


def test_the_operator_graph_is_whole() -> None:
    workload = equality_join(TABLE_5)
    plan = FAMILY.space(workload).best()
    text = to_dot(plan, FAMILY.space(workload).estimate(plan))
    assert well_formed(text)
    operators = plan.operators()
    assert all(f'"{operator.id}" [label=' in text for operator in operators)
    assert text.count("->") == sum(len(operator.inputs) for operator in operators)
    assert "1,000 comparisons/s" in text


def test_the_join_tree_is_right_deep() -> None:
    workload = equality_join(TABLE_5[:3])
    (order,) = FAMILY.space(workload).orders(FAMILY.space(workload).plan("S2,S1,S3")).values()
    assert order == ("S2", "S1", "S3")
    text = join_tree(order)
    assert well_formed(text)
    edges = re.findall(r"(\w+) -> (\w+)", text)
    assert edges == [
        ("join0", "stream0"),
        ("join0", "join1"),
        ("join1", "stream1"),
        ("join1", "stream2"),
    ]


def test_an_overlay_adds_lines_and_a_colour() -> None:
    workload = equality_join(TABLE_5[:2])
    plan = FAMILY.space(workload).best()
    over = {plan.roots[0].id: Overlay(("measured 4.1", "q-error 1.02 ▲"), "#123456")}
    text = to_dot(plan, overlays=over)
    assert "measured 4.1\\nq-error 1.02 ▲" in text
    assert "#123456" in text
    assert "q-error 1.02 ▲" in to_text(plan, overlays=over)


@pytest.mark.parametrize("name", NASTY)
def test_no_name_acts_in_a_drawing(name: str) -> None:
    arrive = Operator("arrive", (("source", name), ("stream", name)))
    probe = Operator(
        "probe",
        (("origin", name), ("step", 1), ("source", name), ("access", "scan"), ("buckets", 1)),
        (arrive,),
    )
    plan = Plan("join_order", name, (Operator("output", (("query", name),), (probe,)),))
    overlay = {arrive.id: Overlay((name,))}
    for text in (to_dot(plan, overlays=overlay), join_tree([name, name])):
        assert well_formed(text)
        assert len(text) < 5000
    assert len(to_text(plan, overlays=overlay).splitlines()) == 5
    assert len(to_loops(plan).splitlines()) == 3


def test_what_looks_like_html_stays_a_string() -> None:
    text = join_tree(["<b>x</b>", "plain"])
    assert 'label="<b>x</b>"' in text
    assert escaped("a\\b", "&lt;") == "a\\\\b\\n&amp;lt;"


def test_a_long_chain_is_drawn_without_recursion() -> None:
    operator = Operator("arrive", (("source", "S"),))
    for step in range(3000):
        operator = Operator("slice", (("step", step),), (operator,))
    plan = Plan("sliced_chain", "chain", (operator,))
    assert len(to_text(plan).splitlines()) == 3002
    assert to_dot(plan).count("->") == 3000
