"""The conditions of WHERE and ON: comparisons of columns and constants, made uniform.

One condition has many spellings. All are brought to `left comparison right + offset` with the
smaller column (by alias, then attribute) on the left, or to `column comparison constant`; so
`b.x + 2 > a.x`, `a.x - b.x < 2` and `a.x < b.x + 2` are one predicate and share their statistics;
`a.x = 1 OR a.x = 2` is `a.x IN (1, 2)`, and BETWEEN is two comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from planner.errors import PlanError
from planner.files.query.tokens import TokenCursor, Word
from planner.workload.query import FLIPPED, Column, Comparison, Filter, Predicate

MOST_PARENTHESES = 50
_WRITTEN: dict[str, Comparison] = {**{c: c for c in FLIPPED}, "!=": "<>", "==": "="}
_REFUSED = {
    "NOT": "NOT is not supported: write the opposite comparison, for NOT IN one <> for each value",
    "LIKE": "LIKE is not supported: compare with = or <>",
    "IS": "IS is not supported: a missing value never satisfies a comparison",
    "*": "products are not supported: compare columns, with + or - a constant",
    "/": "quotients are not supported: compare columns, with + or - a constant",
}
SUBQUERY = (
    "a subquery is not supported: write its streams and conditions in this query; where it "
    "aggregates, run it first, and use its answer as a stream"
)
_ALTERNATIVES = (
    "OR and IN compare one column with constants by =, in parentheses beside AND: "
    "(a.x = 1 OR a.x = 2). Else write one query for each side"
)


@dataclass(frozen=True, slots=True)
class Name:
    """A column as written: its alias may be missing."""

    alias: Word | None
    attribute: Word

    @property
    def at(self) -> Word:
        """Where it begins."""
        return self.alias or self.attribute


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One side of a comparison: columns added or taken away, and a constant."""

    plus: tuple[Name, ...]
    minus: tuple[Name, ...]
    constant: int | float
    text: str | None


@dataclass(frozen=True, slots=True)
class WrittenCondition:
    """A comparison as written, or else one of its `alternatives`; `at` is the place of its sign."""

    left: ComparisonSide
    comparison: Comparison
    right: ComparisonSide
    at: Word
    alternatives: tuple[WrittenCondition, ...] = ()


EMPTY = ComparisonSide((), (), 0, None)


def column(cursor: TokenCursor) -> Name:
    """Step over `alias.attribute`, or an attribute alone."""
    first = cursor.name("a column")
    if cursor.accept(".") is None:
        return Name(None, first)
    if cursor.word.kind not in ("word", "quoted"):
        raise cursor.error(f"expected an attribute after {first.text}.")
    return Name(first, cursor.any_name())


def conditions(cursor: TokenCursor, depth: int = 0) -> list[WrittenCondition]:
    """Step over comparisons joined by AND, or by OR where they are one condition."""
    found = _conjunction(cursor, depth)
    while (sign := cursor.accept("OR")) is not None:
        other = _conjunction(cursor, depth)
        if len(found) != 1 or len(other) != 1:
            raise cursor.error(_ALTERNATIVES, sign)
        found = [_either((*found, *other))]
    return found


def _conjunction(cursor: TokenCursor, depth: int) -> list[WrittenCondition]:
    found = _condition(cursor, depth)
    while cursor.accept("AND"):
        found += _condition(cursor, depth)
    return found


def _either(written: Sequence[WrittenCondition]) -> WrittenCondition:
    """One condition of several of which one is to hold; they may have alternatives themselves."""
    first, *others = (each for one in written for each in (one, *one.alternatives))
    return replace(first, alternatives=tuple(replace(each, alternatives=()) for each in others))


def _condition(cursor: TokenCursor, depth: int) -> list[WrittenCondition]:
    if cursor.accept("("):
        if cursor.word.key == "SELECT":
            raise cursor.error(SUBQUERY)
        if depth == MOST_PARENTHESES:
            raise cursor.error(f"more than {MOST_PARENTHESES} nested parentheses")
        inside = conditions(cursor, depth + 1)
        cursor.expect(")", "to close the parenthesis")
        return inside
    left = _side(cursor)
    if (sign := cursor.accept("IN")) is not None:
        return [_either([WrittenCondition(left, "=", right, sign) for right in _listed(cursor)])]
    if (sign := cursor.accept("BETWEEN")) is not None:
        low = WrittenCondition(left, ">=", _side(cursor), sign)
        cursor.expect("AND", "between the two ends of BETWEEN")
        return [low, WrittenCondition(left, "<=", _side(cursor), sign)]
    comparison = _WRITTEN.get(cursor.word.key)
    if comparison is None:
        raise cursor.error(_REFUSED.get(cursor.word.key, "expected a comparison: = <> < <= > >="))
    at = cursor.advance()
    return [WrittenCondition(left, comparison, _side(cursor), at)]


def _listed(cursor: TokenCursor) -> list[ComparisonSide]:
    """Step over the constants of IN."""
    cursor.expect("(", "after IN")
    if cursor.word.key == "SELECT":
        raise cursor.error(SUBQUERY)
    found = [_side(cursor)]
    while cursor.accept(","):
        found.append(_side(cursor))
    cursor.expect(")", "to close the list of IN")
    return found


def _side(cursor: TokenCursor) -> ComparisonSide:
    side = _term(cursor, EMPTY)
    while cursor.word.key in ("+", "-"):
        if side.text is not None:
            raise cursor.error("text cannot be added or subtracted")
        side = _term(cursor, side)
    if cursor.word.key in ("*", "/"):
        raise cursor.error(_REFUSED[cursor.word.key])
    return side


def _term(cursor: TokenCursor, side: ComparisonSide) -> ComparisonSide:
    sign = cursor.accept("+", "-")
    negative = sign is not None and sign.key == "-"
    word = cursor.word
    if word.kind == "number" or word.key in ("+", "-"):
        value = cursor.number("a number")
        return replace(side, constant=side.constant + (-value if negative else value))
    # In double quotes and without an alias it is text: that is how people write "VT".
    if word.kind == "text" or (word.kind == "quoted" and cursor.peek().key != "."):
        if sign is not None or side != EMPTY:
            raise cursor.error("text cannot be added or subtracted")
        return replace(side, text=cursor.advance().text)
    if word.key in _REFUSED:
        raise cursor.error(_REFUSED[word.key])
    if word.key == "(" and cursor.peek().key == "SELECT":
        raise cursor.error(SUBQUERY)
    name = column(cursor)
    if negative:
        return replace(side, minus=(*side.minus, name))
    return replace(side, plus=(*side.plus, name))


def normalised(predicate: Predicate) -> Predicate:
    """The same predicate with the smaller column on the left."""
    return predicate if predicate.left <= predicate.right else predicate.flipped


def resolved(
    condition: WrittenCondition, columns: dict[Name, Column], cursor: TokenCursor
) -> Predicate | Filter:
    """The condition as a predicate of two sources or a filter of one; `columns` are looked up."""
    if not condition.alternatives:
        return _alone(condition, columns, cursor)
    found: list[Filter] = []
    for each in (condition, *condition.alternatives):
        alone = _alone(each, columns, cursor)
        if not isinstance(alone, Filter) or alone.comparison != "=":
            raise cursor.error(_ALTERNATIVES, each.at)
        found.append(alone)
        if alone.column != found[0].column:
            raise cursor.error(_ALTERNATIVES, each.at)
    try:
        constants = (constant for alone in found for constant in alone.constants)
        return Filter(found[0].column, "=", tuple(constants))
    except PlanError as error:
        raise cursor.error(f"OR and IN: {error.message}", condition.at) from error


def _alone(
    condition: WrittenCondition, columns: dict[Name, Column], cursor: TokenCursor
) -> Predicate | Filter:
    """The condition without its alternatives."""
    left, right, comparison = condition.left, condition.right, condition.comparison
    plus, minus = left.plus + right.minus, left.minus + right.plus
    if left.text is not None or right.text is not None:
        return _with_text(condition, columns, cursor)
    offset = right.constant - left.constant
    if len(plus) + len(minus) == 1:
        if minus:
            return Filter(columns[minus[0]], FLIPPED[comparison], -offset)
        return Filter(columns[plus[0]], comparison, offset)
    if not plus and not minus:
        raise cursor.error("compares two constants: name a column on one side", condition.at)
    if len(plus) != 1 or len(minus) != 1:
        raise cursor.error(
            "expected one column on each side, with + or - a constant: a.x <= b.x + 5",
            condition.at,
        )
    one, other = columns[plus[0]], columns[minus[0]]
    if one.alias == other.alias:
        raise cursor.error(
            f"compares two columns of {one.alias}: compare one with another source or a constant",
            condition.at,
        )
    # A whole number that a double does not hold stays what it is.
    exact = float(offset) if float(offset) == offset else offset
    return normalised(Predicate(one, comparison, other, exact))


def _with_text(
    condition: WrittenCondition, columns: dict[Name, Column], cursor: TokenCursor
) -> Filter:
    left, right, comparison = condition.left, condition.right, condition.comparison
    if left.text is not None:
        left, right, comparison = right, left, FLIPPED[comparison]
    if left.text is not None:
        raise cursor.error("compares two constants: name a column on one side", condition.at)
    if len(left.plus) != 1 or left.minus or left.constant:
        raise cursor.error("text can be compared with one column only", condition.at)
    return Filter(columns[left.plus[0]], comparison, cast(str, right.text))
