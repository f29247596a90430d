"""What shedding refuses: one sentence that names what is not covered, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.errors import PlanError
from planner.families.load_shedding.coverage import refusal
from planner.families.registry import covering, family
from planner.workload.execution import Every, Shedding
from planner.workload.query import Column, Predicate
from planner.workload.streams import Attribute
from planner.workload.workload import Workload
from tests.planner.shedding import FILTERED, KEYED, ONE, PLAIN, STAR_SAMPLES, THREE, TWO, star

SHED = family("load_shedding")


@pytest.mark.parametrize("name", STAR_SAMPLES)
def test_stars_with_a_bound_are_covered_and_asked_for(name: str) -> None:
    workload = STAR_SAMPLES[name]
    assert refusal(workload) is None
    assert covering(workload)[0] is SHED


@pytest.mark.parametrize("text", [ONE, TWO, THREE, PLAIN, KEYED, FILTERED])
def test_without_a_bound_nothing_is_shed(text: str) -> None:
    workload = star(text, memory=None)
    reason = "nothing says how many tuples may be kept; declare execution.memory"
    assert SHED.refuses(workload) == reason
    assert SHED not in covering(workload)
    with pytest.raises(PlanError, match=r"declare execution\.memory"):
        SHED.space(workload)


REFUSED = {
    "several queries": (
        replace(star(TWO), queries=(star(TWO).queries[0], replace(star(TWO).queries[0], name="B"))),
        "it plans one query at a time; choose one with --query: Q1, B",
    ),
    "lazy": (star(TWO, evaluate=Every(5)), "evaluate and expire must be eager"),
    "lazy expiration": (star(TWO, expire=Every(5)), "evaluate and expire must be eager"),
    "more split than there is": (
        star(TWO, memory=4, shedding=Shedding(split={"R": 3, "S": 2})),
        "execution.shedding.split hands out 5 tuples, and only 4 may be kept",
    ),
    "aggregates on a short processor": (
        star("SELECT COUNT(*) FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b", utilisation=1.5),
        "aggregates are not estimated where the processor drops tuples",
    ),
    "work without time": (
        star(TWO, utilisation=1.5, unit_costs={"insert": 1e-6}),
        "no work takes any time, so the processor is never short",
    ),
    "a mean": (
        star("SELECT AVG(R.v) FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b"),
        "avg(R.v) has no estimate without a bias where tuples are shed; COUNT and SUM have",
    ),
    "different values": (
        star("SELECT COUNT(DISTINCT R.v) FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b"),
        "count(distinct R.v) has no estimate without a bias",
    ),
    "two groups": (
        star(
            "SELECT R.a, S.v, COUNT(*) FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b "
            "GROUP BY R.a, S.v"
        ),
        "Q1 groups by 2 attributes; one is covered",
    ),
    "groups and nothing else": (
        star("SELECT R.a FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b GROUP BY R.a"),
        "Q1 has GROUP BY and no aggregate; add COUNT(*)",
    ),
    "many groups": (
        star(
            "SELECT R.g, COUNT(*) FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b GROUP BY R.g",
            attributes={"worth": Attribute(5), "g": Attribute(2000)},
        ),
        "R.g has 2,000 values; at most 1,000 groups are covered",
    ),
    "text": (
        star(
            "SELECT SUM(R.g) FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b",
            attributes={"worth": Attribute(5), "g": Attribute(5, type="string")},
        ),
        "R.g holds text; SUM and AVG need numbers",
    ),
    "missing values": (
        star(
            "SELECT SUM(R.g) FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b",
            attributes={"worth": Attribute(5), "g": Attribute(5, missing=0.1)},
        ),
        "R.g is missing in 10% of the tuples; fill it in, or leave those tuples out",
    ),
    "a stream alone": (star("SELECT * FROM R [RANGE 9]"), "Q1 joins nothing"),
    "a stream with itself": (
        star("SELECT * FROM R [RANGE 9] x, R [RANGE 9] y WHERE x.a = y.a"),
        "Q1 joins a stream with itself, and each tuple is kept once",
    ),
    "rows": (
        star("SELECT * FROM R [ROWS 9], S [RANGE 9] WHERE R.a = S.b"),
        r"R has the window [ROWS 9], and a tuple lives for a time; use RANGE",
    ),
    "tumbling": (
        star("SELECT * FROM R [RANGE 9], S [TUMBLING 9] WHERE R.a = S.b"),
        r"S has the window [TUMBLING 9], and a tuple lives for a time; use RANGE",
    ),
    "no equality": (
        star("SELECT * FROM R [RANGE 9], S [RANGE 9] WHERE R.a = S.b AND R.v < S.v"),
        "R.v < S.v is no equality, and streams are joined by equal keys",
    ),
    "crossed": (
        star("SELECT * FROM R [RANGE 9] CROSS JOIN S [RANGE 9]"),
        "Q1 has a CROSS JOIN, and streams are joined by equal keys",
    ),
    "two keys of a stream": (
        star(
            "SELECT * FROM R [RANGE 9], F, S [RANGE 9] WHERE R.a = F.a AND S.b = F.b AND S.v = R.v"
        ),
        "R is joined by a, v; one attribute of each stream is covered",
    ),
    "not with the relation": (
        star("SELECT * FROM S [RANGE 9], F, R [RANGE 9] WHERE R.a = F.a AND S.b = R.v"),
        "S is not joined with F; in a star every stream is joined with the relation",
    ),
    "two keys without a relation": (
        star(
            "SELECT * FROM R [RANGE 9], S [RANGE 9], T [RANGE 9] WHERE R.a = S.b AND S.v = T.v",
        ),
        "S is joined by b, v; one attribute of each stream is covered",
    ),
    "hash for two attributes": (
        star(TWO, shedding=Shedding(access="hash")),
        "R finds rows of F by hash and S by hash, through different attributes; rows are laid out "
        "by one: use index or scan for one of them in execution.shedding.access",
    ),
    "hash and search for two attributes": (
        star(TWO, shedding=Shedding(access={"R": "search", "S": "hash"})),
        "R finds rows of F by search and S by hash, through different attributes",
    ),
    "importance of text": (
        star(TWO, attributes={"worth": Attribute(values=("high", "low"))}),
        "R.worth is text, and importance is a number; name another attribute",
    ),
    "importance of nothing": (
        star(TWO, attributes={"worth": Attribute(values=(0, 1))}),
        "R.worth has values of 0 or below, and importance is above 0; change them",
    ),
    "importance that is missing": (
        star(TWO, attributes={"worth": Attribute(5, missing=0.1)}),
        "R.worth is missing in 10% of the tuples, and every tuple needs an importance",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    workload, reason = REFUSED[name]
    found = refusal(workload)
    assert found is not None
    assert reason in found


def test_a_stream_is_joined_with_the_relation_through_another() -> None:
    text = "SELECT * FROM R [RANGE 9], F, S [RANGE 9] WHERE R.a = F.a AND S.b = R.a"
    assert refusal(star(text)) is None


def test_two_relations_are_refused() -> None:
    workload = star(TWO)
    (query,) = workload.queries
    other = replace(workload.relations[0], name="G")
    source = replace(query.sources[1], alias="G", name="G")
    predicates = (*query.predicates, Predicate(Column("R", "a"), "=", Column("G", "a")))
    both = replace(query, sources=(*query.sources, source), predicates=predicates)
    changed = replace(workload, queries=(both,), relations=(*workload.relations, other))
    assert refusal(changed) == "Q1 joins 2 relations; streams meet through one"


def test_a_hash_may_serve_streams_of_one_attribute() -> None:
    workload: Workload = star(KEYED, shedding=Shedding(access="hash"))
    assert refusal(workload) is None
    assert refusal(star(TWO, shedding=Shedding(access={"R": "hash", "S": "index"}))) is None
    assert refusal(star(PLAIN, shedding=Shedding(access="hash"))) is None
