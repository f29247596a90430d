"""The branches of a plan, which a large drawing folds: each is a set of operators with a name.

A plan of one query has a branch for the probes of each arriving stream, and one for each stream's
own operators. A plan of many queries has one for what serves a single query, one for each slice,
and one for each stream. Of many alike, neighbours are taken together:

    Q1 to Q36
      Q1 to Q12
        Q1: union, output
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from planner.numbers import shortened
from planner.plan.operator_names import join_of, operator_name
from planner.plan.plan import Operator, Plan, digest

# So many branches of one kind are drawn beside each other.
MOST_ALIKE = 8
# Of more queries, all can be drawn as one box.
_FEW_QUERIES = 3
_LONGEST = 20
_TO = " to "


@dataclass(frozen=True, slots=True)
class Branch:
    """Operators that can be drawn as one; `inside` are the branches within it."""

    name: str
    kind: str
    members: tuple[str, ...]
    inside: tuple[Branch, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.kind}-{digest(repr((self.name, self.members)))}"

    def every(self) -> Iterator[Branch]:
        """This branch and all within it, the outer ones first."""
        yield self
        for inner in self.inside:
            yield from inner.every()


@lru_cache(maxsize=64)
def branches(plan: Plan) -> tuple[Branch, ...]:
    """The outermost branches of a plan; no operator is in two of them."""
    found: dict[tuple[str, str], list[Operator]] = {}
    only_query = _only_query(plan) if len(plan.roots) > 1 else {}
    for operator in plan.operators():
        found.setdefault(_where(operator, only_query), []).append(operator)
    by_kind: dict[str, list[Branch]] = {}
    for (kind, name), members in found.items():
        ids = tuple(operator.id for operator in members)
        by_kind.setdefault(kind, []).append(Branch(name, kind, ids))
    nested = {kind: _nested(alike) for kind, alike in by_kind.items()}
    # Queries first, wherever they are many: what they share says more than they do.
    if len(nested.get("query", ())) > _FEW_QUERIES:
        nested["query"] = (_together(nested["query"]),)
    for kind, alike in nested.items():
        several = len(alike) > 1 and any(branch.inside for branch in alike)
        if several and sum(map(len, nested.values())) > MOST_ALIKE:
            nested[kind] = (_together(alike),)
    outermost = (branch for alike in nested.values() for branch in alike)
    return tuple(branch for branch in outermost if len(branch.members) > 1)


def _only_query(plan: Plan) -> dict[str, str]:
    """The query of every operator that serves just one."""
    served: dict[str, int] = {root.id: 1 << place for place, root in enumerate(plan.roots)}
    for operator in reversed(plan.operators()):
        for source in operator.inputs:
            served[source.id] = served.get(source.id, 0) | served[operator.id]
    names = {1 << place: _query(root) for place, root in enumerate(plan.roots)}
    return {name: names[mask] for name, mask in served.items() if mask in names}


def _query(root: Operator) -> str:
    return shortened(str(dict(root.params).get("query", root.id)), _LONGEST)


def _where(operator: Operator, only_query: dict[str, str]) -> tuple[str, str]:
    """The kind and the name of the branch that an operator is in."""
    params = dict(operator.params)
    if (query := only_query.get(operator.id)) is not None:
        return "query", query
    if (join := join_of(operator)) is not None:
        own = dict(join.params)
        which = [shortened(str(own[name]), 16) for name in ("part", "group") if name in own]
        return "slice", " ".join([f"[{own['start']}, {own['end']})", *which])
    if "origin" in params:
        return "arrivals", f"{shortened(str(params['origin']), _LONGEST)} arrives"
    if "source" in params:
        return "stream", f"stream {shortened(str(params['source']), _LONGEST)}"
    # Operators of one kind that belong to nothing else: alone, or with their neighbours.
    return operator.kind, operator_name(operator)


def _nested(alike: Sequence[Branch]) -> tuple[Branch, ...]:
    """Few enough branches: neighbours are taken together, again and again."""
    while len(alike) > MOST_ALIKE:
        size = math.ceil(len(alike) / math.ceil(len(alike) / MOST_ALIKE))
        alike = [_together(alike[at : at + size]) for at in range(0, len(alike), size)]
    return tuple(alike)


def _together(alike: Sequence[Branch]) -> Branch:
    if len(alike) == 1:
        return alike[0]
    ends = [alike[0].name.partition(_TO)[0], alike[-1].name.rpartition(_TO)[2]]
    if alike[0].kind == "slice" and all(end.endswith(")") for end in ends):
        # Slices side by side are one longer slice.
        ends = [f"{ends[0].partition(',')[0]},{ends[1].partition(',')[2]}"]
    members = tuple(member for branch in alike for member in branch.members)
    return Branch(_TO.join(ends), alike[0].kind, members, tuple(alike))
