"""Query text: every clause of the grammar, one form for every spelling, and round trips."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import QueryTextError
from planner.files.query.conditions import normalised
from planner.files.query.text import format_query, parse_condition, parse_query
from planner.workload.query import (
    Aggregate,
    Column,
    CountWindow,
    Filter,
    LandmarkWindow,
    Predicate,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
    Window,
)

CATALOGUE = {"S1": ("x", "y"), "S2": ("x", "z"), "R": ("k",), "Own": ()}


def parse(text: str) -> Query:
    return parse_query(text, "Q", ("R",), CATALOGUE)


def condition(text: str) -> Predicate | Filter:
    query = parse(f"SELECT * FROM S1 [RANGE 1] a, S2 [RANGE 1] b WHERE {text}")
    (found,) = query.predicates + query.filters
    return found


@pytest.mark.parametrize(
    ("written", "window"),
    [
        ("RANGE 100", TimeWindow(100)),
        ("range 1 hour", TimeWindow(3600)),
        ("RANGE 9 MS", TimeWindow(0.009)),
        ("RANGE 1.5 SEC", TimeWindow(1.5)),
        ("RANGE 2 MIN", TimeWindow(120)),
        ("RANGE 2 DAYS", TimeWindow(172800)),
        ("ROWS 500", CountWindow(500)),
        ("TUMBLING 10 MINUTES", TumblingWindow(600)),
        ("LANDMARK", LandmarkWindow()),
        ("WINDOW 1 HOUR", TimeWindow(3600)),
        ("WINDOW UNTIL NOW", LandmarkWindow()),
    ],
)
def test_windows(written: str, window: Window) -> None:
    assert parse(f"SELECT * FROM S1 [{written}]").sources[0].window == window


@pytest.mark.parametrize(
    "source", ["S1 [RANGE 5] a", "S1 [RANGE 5] AS a", "S1 a [RANGE 5]", "S1 AS a [RANGE 5]"]
)
def test_a_window_stands_before_or_after_the_alias(source: str) -> None:
    assert parse(f"SELECT * FROM {source}").sources == (Source("a", "S1", TimeWindow(5)),)


def test_a_closing_window_serves_the_streams_without_their_own() -> None:
    query = parse("SELECT * FROM S1 a, S2 [ROWS 5] b, R WHERE a.x = b.x WINDOW 60 MIN")
    assert [source.window for source in query.sources] == [TimeWindow(3600), CountWindow(5), None]


@pytest.mark.parametrize(
    ("written", "uniform"),
    [
        ("a.x = b.x", "a.x = b.x"),
        ("b.x == a.x", "a.x = b.x"),
        ("b.x != a.x", "a.x <> b.x"),
        ("b.x > a.x", "a.x < b.x"),
        ("a.x - b.x <= 5", "a.x <= b.x + 5"),
        ("b.x >= a.x - 5", "a.x <= b.x + 5"),
        ("5 >= a.x - b.x", "a.x <= b.x + 5"),
        ("a.x < b.x - 2", "a.x < b.x - 2"),
        ("-2 > a.x - b.x", "a.x < b.x - 2"),
        ("a.x - 1 = b.x - 1", "a.x = b.x"),
        ("5 < a.y", "a.y > 5"),
        ("-a.y < -5", "a.y > 5"),
        ("a.y + 2 <= -2.5e1", "a.y <= -27"),
        ("'it''s' <> b.z", "b.z <> 'it''s'"),
        ('b.z = "VT"', "b.z = 'VT'"),
        ("((a.x = b.x))", "a.x = b.x"),
        ("a.y IN (3, -1, 3.0)", "a.y IN (-1, 3)"),
        ("a.y + 1 IN (3)", "a.y = 2"),
        ("(a.y = 2 OR (1 = a.y OR a.y IN (7)))", "a.y IN (1, 2, 7)"),
        ("b.z = 'b' OR b.z = 'a'", "b.z IN ('a', 'b')"),
    ],
)
def test_one_form_for_every_spelling(written: str, uniform: str) -> None:
    assert str(condition(written)) == uniform


def test_between_is_two_comparisons() -> None:
    from_where = "SELECT * FROM S1 [ROWS 1] a, S2 [ROWS 1] b WHERE"
    between = parse(f"{from_where} a.x BETWEEN b.x AND b.x + 5 AND a.y BETWEEN 1 AND 2")
    assert between == parse(f"{from_where} a.x >= b.x AND a.x <= b.x + 5 AND a.y >= 1 AND a.y <= 2")


def test_a_condition_that_stands_twice_is_kept_once() -> None:
    query = parse("SELECT * FROM S1 [ROWS 1] a, S2 [ROWS 1] b WHERE a.x = b.x AND (b.x = a.x)")
    assert len(query.predicates) == 1


def test_join_on_says_the_same_as_where() -> None:
    comma = parse("SELECT * FROM S1 [ROWS 1] a, S2 [ROWS 2] b WHERE a.x = b.x AND a.y > 1")
    assert comma == parse(
        "SELECT * FROM S1 [ROWS 1] a INNER JOIN S2 [ROWS 2] b ON a.x = b.x WHERE a.y > 1;"
    )


def test_aggregates_in_the_order_of_select() -> None:
    query = parse(
        "SELECT COUNT(*), a.x, COUNT(b.*) AS n, COUNT(DISTINCT b.z), sum(y), Avg(a.y), MIN(z), "
        "max(b.z) FROM S1 [ROWS 1] a, S2 [ROWS 1] b GROUP BY a.x"
    )
    assert query.group_by == (Column("a", "x"),)
    assert [aggregate.name for aggregate in query.aggregates] == [
        "count(*)",
        "n",
        "count(distinct b.z)",
        "sum(a.y)",
        "avg(a.y)",
        "min(b.z)",
        "max(b.z)",
    ]


def test_names_keep_their_case_and_may_be_quoted() -> None:
    query = parse_query(
        'select * from "odd ""name""" [rows 1] AS "from" where "from".Left = 1', "Q"
    )
    assert query.sources[0] == Source("from", 'odd "name"', CountWindow(1))
    assert query.filters == (Filter(Column("from", "Left"), "=", 1),)


def test_own_data_accepts_any_attribute() -> None:
    assert parse("SELECT * FROM Own [ROWS 1] WHERE anything = 1").filters


def test_comments_are_skipped() -> None:
    assert parse("SELECT * -- all\nFROM /* the */ S1 [ROWS 1]") == parse(
        "SELECT * FROM S1 [ROWS 1]"
    )


@pytest.mark.parametrize(
    ("text", "found_at", "said"),
    [
        ("", "", "is empty"),
        ("SELEC * FROM S1 [ROWS 1]", "SELEC", "expected SELECT"),
        ("SELECT * FROM S1", "S1", "has no window; write S1 [RANGE 60]"),
        ("SELECT * FROM R [ROWS 1]", "R [", "is a relation and has no window"),
        ("SELECT * FROM S9 [ROWS 1]", "S9", "no stream or relation 'S9'"),
        ("SELECT * FROM S1 [ROWS 1] WHERE S1.q = 1", "q =", "no attribute 'q'; there are x, y"),
        ("SELECT * FROM S1 [ROWS 1] WHERE b.x = 1", "b.x", "'b' is not a source"),
        ("SELECT * FROM S1 [ROWS 1], S2 [ROWS 1] WHERE x = 1", "x =", "S1.x, S2.x"),
        ("SELECT * FROM S1 [ROWS 1], S2 [ROWS 1] WHERE q = 1", "q =", "no source has 'q'"),
        ("SELECT * FROM S1 [ROWS 1], S1 [ROWS 1]", "S1 [ROWS 1]$", "another alias"),
        ("SELECT * FROM S1 [ROWS 1] a [ROWS 1]", "[ROWS 1]$", "second window"),
        ("SELECT * FROM S1 [RANGE 0]", "0", "must be above 0, got 0"),
        ("SELECT * FROM S1 [RANGE -5]", "-5", "must be above 0, got -5"),
        ("SELECT * FROM S1 [RANGE 1e308]", "1e308", "at most"),
        ("SELECT * FROM S1 [RANGE 1e400]", "1e400", "too large"),
        ("SELECT * FROM S1 [RANGE 5 WEEKS]", "WEEKS", "HOURS or DAYS"),
        ("SELECT * FROM S1 [ROWS 2.5]", "2.5", "whole number"),
        ("SELECT * FROM S1 [LAST 5]", "LAST", "RANGE, ROWS, TUMBLING, LANDMARK"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x = 1 OR y = 2", "= 2", "compare one column"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x = 1 OR x > 2", "> 2", "one query for each side"),
        ("SELECT * FROM S1 [ROWS 1] WHERE y = 1 AND x = 1 OR x = 2", "OR", "in parentheses"),
        ("SELECT * FROM S1 [ROWS 1] WHERE (x = 1 OR x = 2 AND y = 1)", "OR", "in parentheses"),
        ("SELECT * FROM S1 [ROWS 1], R WHERE S1.x = R.k OR S1.x = 1", "= R", "with constants"),
        ("SELECT * FROM S1 [ROWS 1], R WHERE S1.x IN (1, R.k)", "IN", "with constants"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x IN (1, 'a')", "IN", "all text or all numbers"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x IN ()", ")", "expected a column"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x IN 1", "1$", "expected ( after IN"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x IN (1", "", "to close the list of IN"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x IN (SELECT 1)", "SELECT 1", "a subquery"),
        (f"SELECT * FROM S1 [ROWS 1] WHERE x IN ({', '.join(map(str, range(101)))})", "IN", "100"),
        ("SELECT * FROM S1 [ROWS 1] WHERE NOT x = 1", "NOT", "NOT is not supported"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x NOT IN (1)", "NOT", "one <> for each value"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x BETWEEN 1", "", "expected AND between the two ends"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x * 2 = 1", "* 2", "products are not supported"),
        ("SELECT * FROM S1 [ROWS 1] WHERE S1.x = S1.y", "= S1.y", "two columns of S1"),
        ("SELECT * FROM S1 [ROWS 1] WHERE 1 = 1", "= 1", "two constants"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x = 'a' + 1", "+ 1", "text cannot be added"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x", "", "expected a comparison"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x = 'abc", "'abc", "never closed"),
        ("SELECT * FROM S1 [ROWS 1] HAVING x = 1", "HAVING", "HAVING is not supported"),
        ("SELECT * FROM S1 [ROWS 1] ORDER BY x", "ORDER", "ORDER BY is not supported"),
        ("SELECT DISTINCT x FROM S1 [ROWS 1]", "DISTINCT", "write GROUP BY"),
        ("SELECT * FROM (SELECT * FROM S1)", "(", "subquery is not supported"),
        ("SELECT * FROM S1 [ROWS 1] LEFT JOIN S2 [ROWS 1]", "LEFT", "write JOIN"),
        ("SELECT x, COUNT(*) FROM S1 [ROWS 1]", "x,", "add it to GROUP BY"),
        ("SELECT x, MAX(y) FROM S1 [ROWS 1]", "x,", "join the answer with it: MIN and MAX keep"),
        ("SELECT * FROM S1 [ROWS 1] WHERE x = (SELECT 1)", "(", "use its answer as a stream"),
        ("SELECT *, COUNT(*) FROM S1 [ROWS 1]", "*,", "list the grouped columns"),
        ("SELECT COUNT(*), COUNT(*) FROM S1 [ROWS 1]", "COUNT(*) F", "name one with AS"),
        ("SELECT MEDIAN(x) FROM S1 [ROWS 1]", "MEDIAN", "COUNT, SUM, AVG, MIN, MAX"),
        ("SELECT SUM(DISTINCT x) FROM S1 [ROWS 1]", "SUM", "in COUNT only"),
        ("SELECT * FROM order [ROWS 1]", "order", "put it in double quotes"),
        ("SELECT 😀 FROM S1 [ROWS 1]", "😀", "expected a column"),
        ("SELECT \0 FROM S1 [ROWS 1]", "\0", "U+0000"),
        ("SELECT * FROM S1 [ROWS 1] WHERE " + "(" * 50_000, None, "50 nested parentheses"),
    ],
)
def test_an_error_points_at_its_place(text: str, found_at: str | None, said: str) -> None:
    with pytest.raises(QueryTextError) as raised:
        parse(text)
    assert said in raised.value.summary
    if found_at is not None:
        last = found_at.endswith("$")
        place = text.rfind(found_at.rstrip("$")) if last else text.find(found_at or " ")
        assert raised.value.offset == (place if found_at else len(text))
    assert str(raised.value).splitlines()[-1].strip() == "^"


def test_a_long_text_is_refused() -> None:
    with pytest.raises(QueryTextError, match="at most 100000"):
        parse("SELECT " * 200_000)


def test_twenty_sources_are_the_limit() -> None:
    sources = [f"S1 [ROWS 1] a{n}" for n in range(21)]
    assert len(parse(f"SELECT * FROM {', '.join(sources[:20])}").sources) == 20
    with pytest.raises(QueryTextError, match="more than 20 sources"):
        parse(f"SELECT * FROM {', '.join(sources)}")


def test_a_condition_by_itself_needs_aliases() -> None:
    assert parse_condition("b.x=a.x") == Predicate(Column("a", "x"), "=", Column("b", "x"))
    with pytest.raises(QueryTextError, match=r"ALIAS\.ATTRIBUTE"):
        parse_condition("x > 5")
    with pytest.raises(QueryTextError, match="one comparison"):
        parse_condition("a.x > 5 AND a.x < 6")


# --- round trips ---------------------------------------------------------------------------------

printable = st.characters(min_codepoint=32, exclude_categories=("Cc", "Cs"))
names = st.one_of(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True),
    st.sampled_from(["select", "Window", "ROWS", "order", "group by", "a b", 'q"q', "naïve", "😀"]),
    st.text(printable, min_size=1, max_size=8).filter(lambda name: bool(name.strip())),
)
finite = st.floats(allow_nan=False, allow_infinity=False)
lengths = st.floats(min_value=1e-6, max_value=1e10, exclude_min=True)
windows = st.one_of(
    st.builds(TimeWindow, lengths),
    st.builds(TumblingWindow, lengths),
    st.builds(CountWindow, st.integers(1, 10**9)),
    st.just(LandmarkWindow()),
)
constants = st.one_of(st.text(printable), st.integers(-(10**18), 10**18), finite)
comparisons = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
several = st.lists(st.text(printable), min_size=1, max_size=3) | st.lists(
    finite, min_size=1, max_size=3
)


@st.composite
def queries(draw: st.DrawFn) -> Query:
    aliases = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    columns = st.builds(Column, st.sampled_from(aliases), names)
    pairs = st.tuples(columns, columns).filter(lambda pair: pair[0].alias != pair[1].alias)
    predicates = [
        normalised(Predicate(left, draw(comparisons), right, draw(finite)))
        for left, right in draw(st.lists(pairs, max_size=3))
    ]
    sources = [
        Source(alias, draw(names), draw(windows), place > 0 and draw(st.booleans()))
        for place, alias in enumerate(aliases)
    ]
    grouped = draw(st.lists(columns, max_size=2, unique=True))
    summed = draw(st.lists(columns, max_size=2, unique=True))
    return Query(
        name="Q",
        sources=tuple(sources),
        predicates=tuple(dict.fromkeys(predicates)),
        filters=tuple(
            dict.fromkeys(
                draw(
                    st.lists(
                        st.builds(Filter, columns, comparisons, constants)
                        | st.builds(Filter, columns, st.just("="), several.map(tuple))
                    )
                )
            )
        ),
        group_by=tuple(grouped),
        aggregates=tuple(Aggregate("sum", column) for column in summed),
    )


@given(queries())
def test_format_and_parse_give_the_query_back(query: Query) -> None:
    assert parse_query(format_query(query), "Q") == query
