"""The workload file: every key read, every mistake placed, and back to an equal workload."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError, QueryTextError
from planner.files.query.text import format_query
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.adapt import POLICIES, Adapt
from planner.workload.execution import Change, Every, Execution, RunSettings, Shedding
from planner.workload.query import CountWindow, Query, Source, TimeWindow
from planner.workload.streams import (
    Arrivals,
    Attribute,
    ImportanceOf,
    Relation,
    RelationChanges,
    Stream,
)
from planner.workload.workload import Workload

SAMPLES = sorted((Path(__file__).parents[3] / "sample_data").glob("*.yaml"))

COMPLETE = """
version: 1
name: complete
description: every key of the file
streams:
  - {name: S1, rate: 10, attributes: {attr: {distinct: 500}}}
  - name: S2
    rate: 1.5
    arrivals: regular
    tuple_bytes: 100
    attributes:
      attr: {distinct: 50, distribution: {zipf: 1.1}}
      state: {values: [VT, NO]}
      value: {type: float}
      weight: {from: attr, order: inverse-frequency, max: 5}
    importance: weight
  - name: S3
    arrivals: {pareto: {burst: 3}}
    attributes: {attr: {distinct: 5, distribution: uniform}}
    importance: {from: attr, max: 9}
relations:
  - {name: R, rows: 5, attributes: {k: {distinct: 3}}, changes: {inserts: 1, deletes: 0.5}}
queries:
  - name: join
    text: |
      SELECT * FROM S1 [RANGE 100], S2 [ROWS 5], S3 [RANGE 200]
      WHERE S1.attr = S2.attr AND S2.attr = S3.attr
  - text: SELECT COUNT(*) FROM S1 [RANGE 100] A, R WHERE A.attr > 50 AND A.attr = k
    weight: 2
    deadline: 0.5
execution:
  join: {S1: nested, A: hash}
  buckets: {S2: 5, S1: per-value}
  evaluate: {every: 5}
  expire: {every: 2.5}
  memory: 100
  shedding: {alpha: 1, beta: 2, split: {S1: 50}, prefilter: false, access: {S1: hash}}
  unit_costs: {compare: 1e-9}
  c_sys: 0.5
  ties: smaller
  utilisation: 0.7
statistics:
  predicates: {"S2.attr = S1.attr": {selectivity: 0.01, cost: 5}, "S1.attr=S3.attr": {cost: 2}}
  filters: {"Q2:50 < A.attr": {selectivity: 0.5}}
run:
  seed: 8
  warmup: 0
  duration: 30
  changes:
    - {at: 100, add: {name: N, text: "SELECT * FROM S1 [ROWS 5]"}}
    - {at: 120, remove: N}
    - {at: 150, plan: "S1,S2,S3"}
  adapt: {policy: threshold, every: 5, horizon: 30, threshold: 0.5, margin: 0.1}
"""


def test_every_key_is_read() -> None:
    workload = load_workload(COMPLETE)
    first, second, third = workload.streams
    assert (workload.name, workload.description) == ("complete", "every key of the file")
    assert first == Stream("S1", 10, {"attr": Attribute(500)})
    assert second.attributes["state"] == Attribute(2, values=("VT", "NO"), type="string")
    assert second.attributes["weight"].importance_of == ImportanceOf("attr", most=5)
    assert (second.arrivals, second.tuple_bytes, second.importance) == (
        Arrivals("regular"),
        100,
        "weight",
    )
    assert (third.rate, third.arrivals, third.importance) == (
        None,
        Arrivals("pareto", 3),
        "importance",
    )
    assert workload.relations == (Relation("R", 5, {"k": Attribute(3)}, RelationChanges(1, 0.5)),)
    assert [query.name for query in workload.queries] == ["join", "Q2"]
    assert workload.execution == Execution(
        join={"S1": "nested", "A": "hash"},
        buckets={"S2": 5, "S1": "per-value"},
        evaluate=Every(5),
        expire=Every(2.5),
        memory=100,
        shedding=Shedding(1, 2, {"S1": 50}, prefilter=False, access={"S1": "hash"}),
        unit_costs={"compare": 1e-9},
        c_sys=0.5,
        ties="smaller",
        utilisation=0.7,
    )
    assert [(q.weight, q.deadline) for q in workload.queries] == [(1, None), (2, 0.5)]
    assert list(workload.statistics.predicates) == ["S1.attr = S2.attr", "S1.attr = S3.attr"]
    assert list(workload.statistics.filters) == ["Q2: A.attr > 50"]
    added = Query("N", (Source("S1", "S1", CountWindow(5)),))
    changes = (Change(100, add=added), Change(120, remove="N"), Change(150, plan="S1,S2,S3"))
    adapt = Adapt("threshold", 5, 30, 0.5, 0.1)
    assert workload.run == RunSettings(8, 0, 30, changes, adapt)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_load_and_come_back_equal(path: Path) -> None:
    text = path.read_text()
    workload = load_workload(text, path.name)
    again = load_workload(dump_workload(workload))
    assert text.startswith("# ")
    assert workload.description
    assert (again, again.digest) == (workload, workload.digest)


def test_the_complete_workload_comes_back_equal() -> None:
    workload = load_workload(COMPLETE)
    again = load_workload(dump_workload(workload))
    assert (again, again.digest) == (workload, workload.digest)
    assert again.queries[0].text == workload.queries[0].text


def test_a_text_that_no_longer_says_its_query_is_written_anew() -> None:
    workload = load_workload(COMPLETE)
    query = workload.queries[0]
    sources = (replace(query.sources[0], window=TimeWindow(7)), *query.sources[1:])
    changed = replace(workload, queries=(replace(query, sources=sources), workload.queries[1]))
    assert load_workload(dump_workload(changed)) == changed


def test_a_digest_hangs_on_nothing_but_what_is_compared() -> None:
    workload = load_workload(COMPLETE)
    renamed = COMPLETE.replace("name: complete", "name: other").replace(
        "rate: 10,", "rate: 1.0e+1,"
    )
    spaced = renamed.replace("SELECT * FROM S1 [RANGE 100], ", "select *  from S1[RANGE 100],")
    assert load_workload(spaced).digest == workload.digest
    assert load_workload(COMPLETE.replace("rate: 10", "rate: 11")).digest != workload.digest
    assert load_workload(COMPLETE.replace("weight: 2", "weight: 3")).digest != workload.digest


def test_a_key_at_its_default_leaves_the_digest_as_it_was() -> None:
    text = "version: 1\nstreams: [{name: S}]\nqueries: [{text: 'SELECT * FROM S [ROWS 1]'%s}]\n"
    plain, stated = load_workload(text % ""), load_workload(text % ", weight: 1, deadline: null")
    assert plain.digest == stated.digest == "4ff472a0c7d76db43361ff83"


def test_json_is_yaml() -> None:
    queries = '[{"text": "SELECT * FROM S [ROWS 1]"}]'
    text = f'{{"version": 1, "streams": [{{"name": "S"}}], "queries": {queries}}}'
    workload = load_workload(text, "folder/mine.json")
    assert (workload.name, workload.streams[0].rate) == ("mine", None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rate: 1.5", "rate: -3", "streams[1].rate: must be above 0, got -3"),
        ("rate: 1.5", "rate: 0", "streams[1].rate: must be above 0, got 0"),
        ("rate: 1.5", "rate: .nan", "streams[1].rate: must be above 0, got nan"),
        ("rate: 1.5", "rate: .inf", "streams[1].rate: must be above 0, got inf"),
        ("rate: 1.5", "rate: 1e308", "streams[1].rate: must be at most 1 billion, got 1e+308"),
        ("rate: 1.5", "rate: true", "streams[1].rate: must be a number, got True"),
        ("rate: 1.5", "rate: fast", "streams[1].rate: must be a number, got 'fast'"),
        ("rate: 1.5", "rat: 1.5", "streams[1].rat: unknown key; did you mean 'rate'?"),
        ("rate: 1.5", "zzz: 1", "streams[1].zzz: unknown key; there are name, rate, arrivals"),
        ("arrivals: regular", "arrivals: odd", "streams[1].arrivals: must be 'regular' or"),
        ("burst: 3", "burst: 0.5", "streams[2].arrivals.pareto.burst: must be above 1"),
        ("distinct: 500", "distinct: 0", "streams[0].attributes.attr.distinct: must be from 1"),
        ("distinct: 500", "distinct: 2.5", "attr.distinct: must be a whole number, got 2.5"),
        ("zipf: 1.1", "zipf: .inf", "attr.distribution.zipf: must be from 0 to 20, got inf"),
        ("[VT, NO]", "[VT, 5]", "state.values: must be all text or all finite numbers"),
        ("[VT, NO]", "[VT, VT]", "state.values: a value occurs twice"),
        ("[VT, NO]", "[VT], distinct: 2", "state.distinct: there are 1 values; leave distinct"),
        ("importance: weight", "importance: wait", "streams[1].importance: 'wait' is not an attr"),
        ("from: attr, order", "from: atr, order", "weight.from: no other attribute 'atr'; did you"),
        ("name: S2", "name: S1", "streams and relations: the name 'S1' occurs twice"),
        ("name: S2", "name: ''", "streams[1].name: must be a name, got nothing"),
        ("name: S2", "name: 5", "streams[1].name: must be text, got 5"),
        ("name: join", "name: Q2", "queries: the name 'Q2' occurs twice"),
        ("inserts: 1", "inserts: -1", "relations[0].changes.inserts: must be 0 or above, got -1"),
        ("rows: 5", "rows: -5", "relations[0].rows: must be from 0"),
        ("S1: nested", "S9: nested", "execution.join: no stream or alias 'S9'"),
        ("A: hash", "A: hush", "execution.join.A: must be 'nested' or 'hash', got 'hush'"),
        ("S2: 5,", "S2: 0,", "execution.buckets.S2: must be from 1"),
        ("{every: 5}", "lazy", "execution.evaluate: must be 'eager' or a mapping, got 'lazy'"),
        ("{every: 5}", "{every: 0}", "execution.evaluate.every: must be above 0, got 0"),
        ("memory: 100", "memory: 0", "execution.memory: must be from 1"),
        ("compare: 1e-9", "compute: 1", "execution.unit_costs.compute: no such unit"),
        ("c_sys: 0.5", "c_sys: -1", "execution.c_sys: must be 0 or above, got -1"),
        (
            "access: {S1: hash}",
            "access: {S1: tree}",
            "execution.shedding.access.S1: must be 'scan', 'search', 'index' or 'hash', got 'tree'",
        ),
        (
            "access: {S1: hash}",
            "access: {S9: hash}",
            "execution.shedding.access: no stream or alias 'S9'",
        ),
        ("beta: 2", "beta: -2", "execution.shedding.beta: must be 0 or above"),
        ("ties: smaller", "ties: none", "execution.ties: must be 'larger' or 'smaller'"),
        ("utilisation: 0.7", "utilisation: 0", "execution.utilisation: must be above 0, got 0"),
        ("utilisation: 0.7", "utilisation: 100", "execution.utilisation: must be below 100"),
        ("utilisation: 0.7", "utilisation: x", "execution.utilisation: must be a number, got 'x'"),
        ("weight: 2", "weight: 0", "queries[1].weight: must be above 0, got 0"),
        ("weight: 2", "weight: .inf", "queries[1].weight: must be above 0, got inf"),
        ("deadline: 0.5", "deadline: -1", "queries[1].deadline: must be above 0, got -1"),
        ("deadline: 0.5", "dead: 1", "queries[1].dead: unknown key; did you mean 'deadline'?"),
        ("selectivity: 0.01", "selectivity: 1.5", "selectivity: must be from 0 to 1, got 1.5"),
        ("S2.attr = S1.attr", "S2.attr = R.k", "no query has this condition; there are"),
        ("S2.attr = S1.attr", "S2.attr > 5", "write it under statistics.filters"),
        ("S1.attr=S3.attr", "S1.attr = S2.attr", "occurs twice, written differently"),
        ("policy: threshold", "policy: often", "run.adapt.policy: must be 'never', 'threshold'"),
        ("margin: 0.1", "margin: 2", "run.adapt.margin: must be at most 1, got 2"),
        ("at: 100", "at: -1", "run.changes[0].at: must be 0 or above, got -1"),
        ("remove: N", "remove: M", "run.changes[1].remove: no query 'M'"),
        ("{at: 120, remove: N}", "{at: 120}", "run.changes[1]: must have one of add, remove"),
        ("seed: 8", "seed: -8", "run.seed: must be from 0"),
        ("warmup: 0", "warmup: -1", "run.warmup: must be 0 or above, got -1"),
        ("duration: 30", "duration: 0", "run.duration: must be above 0, got 0"),
        ("version: 1", "version: 2", "version: must be 1, got 2"),
        ("version: 1", "vers: 1", "vers: unknown key; did you mean 'version'?"),
        ("version: 1\n", "\n", "version: is missing"),
    ],
)
def test_a_mistake_is_told_by_its_place(old: str, new: str, message: str) -> None:
    assert old in COMPLETE
    with pytest.raises(PlanError) as raised:
        load_workload(COMPLETE.replace(old, new, 1))
    assert message in str(raised.value)


def test_a_mistake_in_a_query_keeps_its_caret() -> None:
    with pytest.raises(QueryTextError) as raised:
        load_workload(COMPLETE.replace("[ROWS 5], S3", "[ROW 5], S3"), "mine.yaml")
    first, *_, last = str(raised.value).splitlines()
    assert first.startswith("mine.yaml: queries[0].text: expected RANGE, ROWS")
    assert last.strip() == "^"


# --- round trips ---------------------------------------------------------------------------------

texts = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc")), max_size=12)
names = st.one_of(
    texts.filter(lambda text: bool(text.strip())),
    st.sampled_from(["no", "1e5", "~", "null", "- x", "a: b", "#", "'", "010", "\u2028x"]),
)
positive = st.floats(min_value=1e-3, max_value=1e9)
_ADAPT = st.builds(
    Adapt,
    st.sampled_from(POLICIES),
    st.none() | positive,
    positive,
    st.floats(0, 1e6),
    st.floats(0, 1),
)
attributes = st.one_of(
    st.builds(
        Attribute,
        distinct=st.none() | st.integers(1, 10**7),
        zipf=st.floats(0, 20),
        type=st.sampled_from(["integer", "float", "string"]),
    ),
    st.lists(names, min_size=1, max_size=3, unique=True).map(lambda v: Attribute(values=tuple(v))),
)
streams = st.builds(
    Stream,
    name=names,
    rate=st.none() | positive,
    attributes=st.dictionaries(names, attributes, max_size=3),
    arrivals=st.one_of(
        st.sampled_from([Arrivals(), Arrivals("regular"), Arrivals("pareto", 2.5)]),
        st.builds(Arrivals, st.just("regular"), phase=st.floats(0, 0.999)),
    ),
    tuple_bytes=st.integers(1, 10**6),
)
relations = st.builds(
    Relation,
    name=names.map(lambda name: f"relation {name}"),
    rows=st.none() | st.integers(0, 10**6),
    attributes=st.dictionaries(names, attributes, max_size=3),
    changes=st.builds(RelationChanges, st.floats(0, 1e3), st.floats(0, 1e3)),
    distinct_rows=st.booleans(),
)
accesses = st.sampled_from(["scan", "search", "index", "hash"])
executions = st.builds(
    Execution,
    join=st.sampled_from(["nested", "hash"]),
    buckets=st.just("per-value") | st.integers(1, 100),
    evaluate=st.just("eager") | st.builds(Every, positive),
    memory=st.none() | st.integers(1, 1000),
    shedding=st.builds(
        Shedding,
        alpha=st.none() | st.floats(0.1, 5),
        prefilter=st.booleans(),
        access=accesses,
        optimum=st.sampled_from(["flow", "states"]),
        buffer=st.integers(1, 1000),
    ),
    c_sys=st.floats(0, 1e6),
    utilisation=st.none() | st.floats(1e-3, 99),
)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    made = draw(st.lists(streams, min_size=1, max_size=3, unique_by=lambda stream: stream.name))
    sources = tuple(Source(stream.name, stream.name, TimeWindow(draw(positive))) for stream in made)
    deadline = draw(st.none() | positive)
    query = Query(draw(names), sources, weight=draw(positive), deadline=deadline)
    execution = draw(executions)
    if draw(st.booleans()):
        by_alias = {made[0].name: draw(accesses)}
        execution = replace(execution, shedding=replace(execution.shedding, access=by_alias))
    return Workload(
        name=draw(names),
        streams=tuple(made),
        queries=(replace(query, text=format_query(query)),),
        relations=tuple(draw(st.lists(relations, max_size=2, unique_by=lambda r: r.name))),
        execution=execution,
        run=RunSettings(
            draw(st.integers(0, 2**63 - 1)),
            draw(st.none() | positive),
            draw(positive),
            adapt=draw(st.none() | _ADAPT),
        ),
        description=draw(texts),
    )


@given(workloads())
def test_dump_and_load_give_the_workload_back(workload: Workload) -> None:
    again = load_workload(dump_workload(workload))
    assert (again, again.digest) == (workload, workload.digest)
    assert again.description == workload.description
