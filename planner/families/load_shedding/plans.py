"""A policy as a plan: every arrival looks the relation up, may be kept, and probes what is kept.

arrive R - lookup R --- keep R (SIMP-S) ---\\ /--- probe (R) ---\\
              |                             X                   output Q1
table F ------+                            / \\                  /
              |                           /   \\--- probe (S) --/
arrive S - lookup S --- keep S (SIMP-S) -/

The probe of a stream has as inputs what arrives on it, after its lookup, and what the other
streams keep. A stream with conditions has one `filter` behind its arrivals, whose comparisons are
the conditions that were evaluated, in the order of the query until one fails. Conditions on the
relation are a parameter of its `table`: rows that fail them are not there. Without a relation there
is no lookup. Aggregates are a parameter of the output. A single stream keeps nothing: its probe
finds rows of the relation.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.families.load_shedding import NAME
from planner.families.load_shedding.labels import EXACT
from planner.families.load_shedding.star import Arm, Star
from planner.plan.plan import Operator, Param, Plan
from planner.workload.query import Query

Params = list[tuple[str, Param]]
# What an unbounded window may keep.
NO_BOUND = "all"


@dataclass(frozen=True, slots=True)
class BuiltShedding:
    """A plan, and by operator id the place among the arms of the stream that it is about."""

    plan: Plan
    arms: dict[str, int]


def built(query: Query, star: Star, label: str) -> BuiltShedding:
    """The plan of a policy: one probe for each arm, in FROM order."""
    about: dict[str, int] = {}
    table = _table(query, star)
    given, kept = [], []
    for place, arm in enumerate(star.arms):
        chain = _reaching(query, star, arm, table)
        given.append(chain[-1])
        if len(star.arms) > 1:
            kept.append(_keep(arm, label, chain[-1]))
        about |= {operator.id: place for operator in (*chain, *kept[place : place + 1])}
    probes = []
    for place, arm in enumerate(star.arms):
        others = [keep for at, keep in enumerate(kept) if at != place]
        probed = [str(keep.param("source")) for keep in others]
        if not others and star.relation is not None:
            probed = [star.relation.alias]
        params = (("origin", arm.source.alias), ("source", ", ".join(probed)))
        probe = Operator("probe", params, (given[place], *others))
        about[probe.id] = place
        probes.append(probe)
    output = Operator("output", (("query", query.name), *_aggregates(query)), tuple(probes))
    return BuiltShedding(Plan(NAME, label, (output,)), about)


def _aggregates(query: Query) -> Params:
    """What results are summed up to, as one parameter; none where they are given one by one."""
    if not query.aggregates:
        return []
    names = ", ".join(aggregate.default_name() for aggregate in query.aggregates)
    groups = "".join(f" by {column}" for column in query.group_by)
    return [("aggregates", f"{names}{groups}")]


def _table(query: Query, star: Star) -> Operator | None:
    if star.relation is None:
        return None
    params: Params = [("source", star.relation.alias), ("relation", star.relation.name)]
    return Operator("table", (*params, *_condition(query, star.relation.alias)))


def _reaching(query: Query, star: Star, arm: Arm, table: Operator | None) -> list[Operator]:
    """What a tuple of a stream goes through before it may be kept, one operator after the other."""
    alias = arm.source.alias
    chain = [Operator("arrive", (("source", alias), ("stream", arm.source.name)))]
    if condition := _condition(query, alias):
        chain.append(Operator("filter", (("source", alias), *condition), (chain[-1],)))
    if table is not None and star.relation is not None:
        params: Params = [("source", alias), ("relation", star.relation.name)]
        params.append(("access", arm.access))
        if arm.access == "hash":
            params.append(("buckets", star.buckets))
        chain.append(Operator("lookup", tuple(params), (chain[-1], table)))
    return chain


def _condition(query: Query, alias: str) -> Params:
    """The conditions with constants on one source, as one parameter; none where there are none."""
    asked = [str(condition) for condition in query.filters if condition.column.alias == alias]
    return [("condition", " and ".join(asked))] if asked else []


def _keep(arm: Arm, label: str, given: Operator) -> Operator:
    params: Params = [
        ("source", arm.source.alias),
        ("policy", label),
        ("share", NO_BOUND if label == EXACT else arm.share),
        ("window", str(arm.source.window)),
    ]
    return Operator("keep", tuple(params), (given,))
