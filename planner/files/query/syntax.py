"""The grammar of a query text: from tokens to its parts, every name still with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

from planner.errors import PlanError
from planner.files.query.conditions import SUBQUERY, Name, WrittenCondition, column, conditions
from planner.files.query.tokens import TokenCursor, Word
from planner.workload.query import CountWindow, LandmarkWindow, TimeWindow, TumblingWindow, Window

# Milliseconds, so that a division gives 9 MS as 0.009: 9 * 0.001 is another number.
UNIT_MS = {
    **dict.fromkeys(("MS", "MILLISECOND", "MILLISECONDS"), 1),
    **dict.fromkeys(("S", "SEC", "SECS", "SECOND", "SECONDS"), 1_000),
    **dict.fromkeys(("MIN", "MINS", "MINUTE", "MINUTES"), 60_000),
    **dict.fromkeys(("HOUR", "HOURS"), 3_600_000),
    **dict.fromkeys(("DAY", "DAYS"), 86_400_000),
}


def bracketed_window(cursor: TokenCursor) -> Window | None:
    """Step over `[...]` if it stands here."""
    if cursor.accept("[") is None:
        return None
    kind = cursor.accept("RANGE", "ROWS", "TUMBLING", "LANDMARK", "WINDOW")
    if kind is None:
        raise cursor.error("expected RANGE, ROWS, TUMBLING, LANDMARK or WINDOW in the window")
    window = _window(cursor, kind)
    cursor.expect("]", "to close the window")
    return window


def closing_window(cursor: TokenCursor) -> Window:
    """What follows a WINDOW that closes the query: a length, or UNTIL NOW."""
    if cursor.accept("UNTIL"):
        cursor.expect("NOW", "after UNTIL")
        return LandmarkWindow()
    return _of_length(cursor, TimeWindow)


def _window(cursor: TokenCursor, kind: Word) -> Window:
    if kind.key == "LANDMARK":
        return LandmarkWindow()
    if kind.key == "ROWS":
        at = cursor.word
        rows = cursor.number("a whole number of rows")
        try:
            if rows != int(rows):
                raise PlanError(f"must be a whole number, got {rows}")
            return CountWindow(int(rows))
        except PlanError as error:
            raise cursor.error(f"the window {error.message}", at) from error
    if kind.key == "WINDOW":
        return closing_window(cursor)
    return _of_length(cursor, TimeWindow if kind.key == "RANGE" else TumblingWindow)


def _of_length(
    cursor: TokenCursor, made: type[TimeWindow] | type[TumblingWindow]
) -> TimeWindow | TumblingWindow:
    at = cursor.word
    length = cursor.number("a length of time")
    if cursor.word.kind == "word" and cursor.word.key in UNIT_MS:
        length = length * UNIT_MS[cursor.advance().key] / 1000
    elif cursor.word.kind == "word" and cursor.word.key not in ("GROUP BY", "WINDOW"):
        raise cursor.error("expected MS, SECONDS, MINUTES, HOURS or DAYS")
    try:
        return made(length)
    except PlanError as error:
        raise cursor.error(f"the window {error.message}", at) from error


Function = Literal["count", "sum", "avg", "min", "max"]
_FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX")
_OTHER_JOINS = ("LEFT", "RIGHT", "FULL", "OUTER", "NATURAL")
_REFUSED = {
    "HAVING": "HAVING is not supported: filter the answer, or write the condition in WHERE",
    "ORDER BY": "ORDER BY is not supported: an answer has no order, leave it out",
    "LIMIT": "LIMIT is not supported: leave it out",
    "UNION": "UNION is not supported: write two queries",
    "EXCEPT": "EXCEPT is not supported: write two queries",
    "INTERSECT": "INTERSECT is not supported: write a join",
    "USING": "USING is not supported: write ON a.x = b.x",
}


@dataclass(frozen=True, slots=True)
class SourceText:
    """A stream or relation as written in FROM."""

    name: Word
    alias: str
    window: Window | None
    crossed: bool


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of SELECT: `*`, `b.*`, a column, or an aggregate of one of them."""

    at: Word
    column: Name | None = None
    star_of: Word | None = None
    function: Function | None = None
    distinct: bool = False
    name: str = ""


@dataclass(slots=True)
class QueryText:
    """A query as written: nothing in it has been looked up yet."""

    items: list[Item]
    sources: list[SourceText] = field(default_factory=list)
    conditions: list[WrittenCondition] = field(default_factory=list)
    group_by: list[Name] = field(default_factory=list)
    window: Window | None = None


def read(cursor: TokenCursor) -> QueryText:
    """The whole query; an error where anything is left over."""
    cursor.expect("SELECT", "to begin the query")
    if cursor.word.key == "DISTINCT":
        raise cursor.error("SELECT DISTINCT is not supported: write GROUP BY with the columns")
    query = QueryText(items=_items(cursor))
    cursor.expect("FROM", "after the columns of SELECT")
    _from(cursor, query)
    if cursor.accept("WHERE"):
        query.conditions += conditions(cursor)
    while (word := cursor.accept("GROUP BY", "WINDOW")) is not None:
        if word.key == "WINDOW":
            if query.window is not None:
                raise cursor.error("a second WINDOW for all streams; keep one", word)
            query.window = closing_window(cursor)
            continue
        if query.group_by:
            raise cursor.error("a second GROUP BY; list all columns in one", word)
        query.group_by = [column(cursor)]
        while cursor.accept(","):
            query.group_by.append(column(cursor))
    cursor.accept(";")
    if cursor.word.kind != "end":
        refused = _REFUSED.get(cursor.word.key)
        raise cursor.error(
            refused or "expected AND, WHERE, GROUP BY, WINDOW or the end of the query"
        )
    return query


def _items(cursor: TokenCursor) -> list[Item]:
    items = [_item(cursor)]
    while cursor.accept(","):
        items.append(_item(cursor))
    return items


def _item(cursor: TokenCursor) -> Item:
    at = cursor.word
    if cursor.accept("*"):
        return Item(at)
    if cursor.peek().key == "(":
        if at.key not in _FUNCTIONS:
            raise cursor.error(f"expected one of {', '.join(_FUNCTIONS)}")
        return _aggregate(cursor)
    star_of = _star_of(cursor)
    if star_of is not None:
        return Item(at, star_of=star_of)
    return Item(at, column=column(cursor), name=_as_name(cursor))


def _star_of(cursor: TokenCursor) -> Word | None:
    """Step over `b.*` if it stands here, and return the alias."""
    mark = cursor.mark()
    if cursor.word.kind in ("word", "quoted") and cursor.peek().key == ".":
        alias = cursor.name("an alias")
        cursor.advance()
        if cursor.accept("*"):
            return alias
    cursor.back_to(mark)
    return None


def _aggregate(cursor: TokenCursor) -> Item:
    at = cursor.advance()
    function = cast(Function, at.text.lower())
    cursor.expect("(", f"after {at.key}")
    distinct = cursor.accept("DISTINCT") is not None
    inside: Name | None = None
    star_of: Word | None = None
    if distinct and function != "count":
        raise cursor.error(f"DISTINCT is supported in COUNT only: write {at.key} without it", at)
    if not distinct and function == "count" and cursor.accept("*"):
        pass
    else:
        star_of = _star_of(cursor)
        if star_of is not None and (distinct or function != "count"):
            raise cursor.error(f"{at.key} of a whole tuple: name one of its columns", star_of)
        inside = column(cursor) if star_of is None else None
    cursor.expect(")", f"to close {at.key}(")
    return Item(at, inside, star_of, function, distinct, _as_name(cursor))


def _as_name(cursor: TokenCursor) -> str:
    return cursor.name("a name after AS").text if cursor.accept("AS") else ""


def _from(cursor: TokenCursor, query: QueryText) -> None:
    query.sources.append(_source(cursor))
    while True:
        if cursor.word.key in _OTHER_JOINS:
            raise cursor.error(
                f"{cursor.word.key} joins are not supported: write JOIN ... ON ..., or a comma"
            )
        kind = cursor.accept(",", "JOIN", "INNER", "CROSS")
        if kind is None:
            return
        if kind.key in ("INNER", "CROSS"):
            cursor.expect("JOIN", f"after {kind.key}")
        query.sources.append(_source(cursor, crossed=kind.key == "CROSS"))
        if kind.key in ("JOIN", "INNER"):
            cursor.expect("ON", "after the joined stream")
            query.conditions += conditions(cursor)


def _source(cursor: TokenCursor, crossed: bool = False) -> SourceText:
    if cursor.word.key == "(":
        raise cursor.error(SUBQUERY)
    name = cursor.name("a stream or relation")
    window = bracketed_window(cursor)
    alias = name
    if cursor.accept("AS"):
        alias = cursor.name("an alias after AS")
    elif cursor.word.kind == "quoted" or (cursor.word.kind == "word" and not cursor.reserved()):
        alias = cursor.name("an alias")
    if cursor.word.key == "[" and window is not None:
        raise cursor.error(f"a second window for {name.text}; keep one")
    return SourceText(name, alias.text, window or bracketed_window(cursor), crossed)
