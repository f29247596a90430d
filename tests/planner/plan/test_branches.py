"""Branches of plans: every operator in at most one, few beside each other, however many queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.plan.branches import MOST_ALIKE, Branch, branches
from planner.plan.plan import Operator, Plan
from planner.workload.workload import Workload

SAMPLES = Path(__file__).parents[3] / "sample_data"


def sample(name: str) -> Workload:
    return load_workload((SAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))


def _leaves(branch: Branch) -> list[str]:
    if not branch.inside:
        return list(branch.members)
    return [name for inner in branch.inside for name in _leaves(inner)]


@pytest.mark.parametrize(
    ("name", "kind", "most"),
    [
        ("golab-table-5", "join_order", 9),
        ("eight-way", "join_order", 17),
        ("two-hundred-alerts", "sliced_chain", 5),
    ],
)
def test_a_folded_plan_is_small_and_no_operator_is_lost(name: str, kind: str, most: int) -> None:
    plan = family(kind).space(sample(name)).best()
    found = branches(plan)
    members = [member for branch in found for member in branch.members]
    assert len(members) == len(set(members)), "no operator is in two branches"
    for outer in found:
        for branch in outer.every():
            assert sorted(_leaves(branch)) == sorted(branch.members)
            assert len(branch.inside) <= MOST_ALIKE
    assert len(found) + len(plan.operators()) - len(members) == most


def test_neighbouring_queries_are_taken_together_again_and_again() -> None:
    arrive = Operator("arrive", (("source", "A"),))
    roots = tuple(Operator("output", (("query", f"Q{n}"),), (arrive,)) for n in range(1, 301))
    outer = branches(Plan("made_up", "all", roots))
    ends = [(1, 64), (65, 128), (129, 192), (193, 256), (257, 300)]
    (every,) = outer
    assert every.name == "Q1 to Q300"
    found = [branch.name for branch in every.inside]
    assert found == [f"Q{first} to Q{last}" for first, last in ends]
    assert every.inside[0].inside[0].name == "Q1 to Q8"
    assert every.inside[0].inside[0].inside[0].name == "Q1"


def test_many_small_queries_can_be_one_box_and_few_are_beside_each_other() -> None:
    arrive = Operator("arrive", (("source", "A"),))

    def outer(queries: int) -> tuple[Branch, ...]:
        unions = [Operator("union", (("query", f"Q{n}"),), (arrive,)) for n in range(queries)]
        roots = (Operator("output", union.params, (union,)) for union in unions)
        return branches(Plan("made_up", "all", tuple(roots)))

    assert [branch.name for branch in outer(3)] == ["Q0", "Q1", "Q2"]
    (together,) = outer(7)
    assert together.name == "Q0 to Q6"
    assert len(together.inside) == 7
