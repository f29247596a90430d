"""What Spark's own operators are to do for a plan: inputs, joins, and who takes which results.

It knows no Spark. Conditions and times are sqlglot expressions: the backend gives them to Spark,
the exported program prints them, and tests run them on DuckDB. Every column has a name of ours: of
input 2 they are `s2_ts` (in microseconds), `s2_seq`, `s2_begin` and `s2_end` of a relation, and
`s2_a0` for its first attribute. What a user wrote occurs as literals alone, which sqlglot escapes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from planner.workload.query import Comparison, Filter
from planner.workload.streams import Constant

# What a plan is described for: a run this way, or a program.
Use = Literal["stream", "replay", "export"]

TS, SEQ, BEGIN, END = "ts", "seq", "begin", "end"
# Of the members of a result, by their place in FROM.
MEMBER = "m"

# Whole numbers below this have 64 bits; doubles among them are written as what they are.
_BEYOND = 2**63
_COMPARISONS: Mapping[Comparison, type[exp.Binary]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}

# --- conditions ----------------------------------------------------------------------------------


def compare(
    left: str, comparison: Comparison, right: str | None = None, constant: Constant = 0
) -> exp.Expr:
    """`left comparison right + constant`, over columns; without `right`, against the constant."""
    value = literal(constant)
    if right is not None:
        column = exp.column(right)
        value = exp.Add(this=column, expression=value) if constant else column
    return _COMPARISONS[comparison](this=exp.column(left), expression=value)


def literal(constant: Constant) -> exp.Expr:
    """A constant as SQL: whole numbers stay whole and exact, others are doubles.

    Spark replaces `${name}` before it reads SQL, even in literals: `$` and `{` are kept apart.
    """
    if isinstance(constant, str):
        texts = [exp.convert(text) for text in re.split(r"(?<=\$)(?=\{)", constant)]
        return exp.func("concat", *texts) if len(texts) > 1 else texts[0]
    if isinstance(constant, float) and not (constant.is_integer() and abs(constant) < _BEYOND):
        return exp.cast(exp.convert(constant), exp.DType.DOUBLE)
    return exp.convert(int(constant))


def all_of(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Every one of these holds; none asks nothing."""
    return exp.and_(*conditions) if conditions else exp.true()


def fails(condition: exp.Expr) -> exp.Expr:
    """This does not hold: it is false, or not known as a value is missing."""
    return exp.not_(exp.func("coalesce", condition, exp.false()))


# --- inputs and joins ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Input:
    """A stream or relation under the number that its columns have; what fails `tests` stays out.

    `name` is what its user calls it.
    """

    number: int
    table: str
    name: str
    attributes: tuple[str, ...]
    is_stream: bool
    tests: tuple[exp.Expr, ...] = ()

    @property
    def view(self) -> str:
        """What its rows are called in SQL."""
        return f"s{self.number}"

    def column(self, name: str) -> str:
        """The name of one of its columns among those of all inputs."""
        return column_of(self.number, name)

    def attribute(self, name: str) -> str:
        """The name of the column of an attribute."""
        return self.column(f"a{self.attributes.index(name)}")

    def filter_tests(self, filters: Sequence[Filter]) -> tuple[exp.Expr, ...]:
        """Filters as tests of its columns."""
        return tuple(self._test(self.attribute(f.column.attribute), f) for f in filters)

    @staticmethod
    def _test(column: str, f: Filter) -> exp.Expr:
        if len(f.constants) > 1:
            return exp.In(this=exp.column(column), expressions=list(map(literal, f.constants)))
        return compare(column, f.comparison, None, f.constants[0])


def column_of(number: int, name: str) -> str:
    """The name of a column of an input."""
    return f"s{number}_{name}"


@dataclass(frozen=True, slots=True)
class JoinStep:
    """One more input joined.

    Of two streams, `reach` says how many microseconds a new tuple may come after one of the first
    stream, and before it. It follows from the tests; said of event times, it lets Spark drop what
    it holds.
    """

    input: Input
    tests: tuple[exp.Expr, ...]
    # What is joined with what, for users.
    name: str
    reach: tuple[int, int] | None = None
    # Whether some test is an equality of two columns: Spark's join of streams needs one.
    is_equality: bool = True


@dataclass(frozen=True, slots=True)
class NativeJoin:
    """Inputs joined one after the other, from the left.

    `stored` and `found` name operators of the plan: what this join holds is what that one holds,
    and what it finds is what that one passes on.
    """

    first: Input
    steps: tuple[JoinStep, ...]
    stored: str | None = None
    found: str | None = None

    @property
    def inputs(self) -> tuple[Input, ...]:
        """All of its inputs, in the order they are joined."""
        return (self.first, *(step.input for step in self.steps))

    @property
    def event_stream(self) -> int:
        """The first stream: its time is the event time of what is joined."""
        return next(i.number for i in self.inputs if i.is_stream)

    def last_time(self, steps: int) -> exp.Expr:
        """The time of the last to arrive of the streams that so many steps have joined."""
        streams = [i for i in self.inputs[: steps + 1] if i.is_stream]
        times = [exp.column(given.column(TS)) for given in streams]
        # A relation alone, which the first step may begin with, has no time.
        if not times:
            return literal(0)
        return exp.func("greatest", *times) if len(times) > 1 else times[0]

    def select(self) -> exp.Select:
        """The join as a query of its inputs' views."""
        rows = exp.select("*").from_(exp.table_(self.first.view))
        for step in self.steps:
            rows = rows.join(exp.table_(step.input.view), on=all_of(step.tests))
        return rows.where(*(test for given in self.inputs for test in given.tests))


@dataclass(frozen=True, slots=True)
class Taking:
    """A query takes those results of a join that pass these tests.

    `members` are the numbers of the inputs in the query's FROM order.
    """

    query: int
    join: int
    members: tuple[int, ...]
    tests: tuple[exp.Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocks:
    """An aggregation by blocks of time: their length in microseconds, and who is aggregated before.

    `early` are the numbers of inputs.
    """

    length: int
    early: frozenset[int]


@dataclass(frozen=True, slots=True)
class NativePlan:
    """The joins of a plan, and what each of its queries takes from them.

    An aggregation has one join and `blocks`, and its query takes groups.
    """

    queries: tuple[str, ...]
    joins: tuple[NativeJoin, ...]
    takings: tuple[Taking, ...] = ()
    # What a user should know of how Spark runs the plan.
    notes: tuple[str, ...] = ()
    blocks: Blocks | None = None

    @property
    def tables(self) -> tuple[str, ...]:
        """Every stream and relation that is read, each once."""
        return tuple(dict.fromkeys(i.table for join in self.joins for i in join.inputs))

    def attributes(self, table: str) -> tuple[str, ...]:
        """The attributes of a table that are read, each once."""
        inputs = (i for join in self.joins for i in join.inputs if i.table == table)
        return tuple(dict.fromkeys(name for given in inputs for name in given.attributes))

    def select(self, taking: Taking) -> exp.Select:
        """What a query takes from the view of a join: the seq of each member, and `ts`."""
        join = self.joins[taking.join]
        names = [column_of(number, SEQ) for number in taking.members]
        members = [exp.column(name).as_(f"{MEMBER}{n}") for n, name in enumerate(names)]
        rows = exp.select(*members, join.last_time(len(join.steps)).as_(TS))
        return rows.from_(exp.table_(f"join_{taking.join}")).where(*taking.tests)
