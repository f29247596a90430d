"""What Spark's own operators are to do for a plan: inputs, joins, and who takes which results.

It knows no Spark: the backend builds DataFrames from it, the exported program is text made of it,
and tests read it as SQL. Every column has a name of ours: of input 2 they are `s2_ts` (in
microseconds), `s2_seq`, `s2_begin` and `s2_end` of a relation, and `s2_a0` for its first attribute.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.workload.query import Comparison
from planner.workload.streams import Constant

TS, SEQ, BEGIN, END = "ts", "seq", "begin", "end"


@dataclass(frozen=True, slots=True)
class Test:
    """`left comparison right + constant`, over columns; without `right`, against the constant."""

    left: str
    comparison: Comparison
    right: str | None = None
    constant: Constant = 0


@dataclass(frozen=True, slots=True)
class All:
    """Every one of these holds."""

    tests: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these holds."""

    tests: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Fails:
    """This does not hold: it is false, or not known as a value is missing."""

    test: Condition


Condition = Test | All | AnyOf | Fails


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
    tests: tuple[Condition, ...] = ()

    def column(self, name: str) -> str:
        """The name of one of its columns among those of all inputs."""
        return column_of(self.number, name)

    def attribute(self, name: str) -> str:
        """The name of the column of an attribute."""
        return self.column(f"a{self.attributes.index(name)}")


def column_of(number: int, name: str) -> str:
    """The name of a column of an input."""
    return f"s{number}_{name}"


@dataclass(frozen=True, slots=True)
class Reach:
    """How far apart in time a new tuple and one of the first stream may be, in microseconds.

    A new one comes less than `after` later, or less than `before` earlier. It follows from the
    tests; said of event times, it lets Spark drop what it holds.
    """

    after: int
    before: int


@dataclass(frozen=True, slots=True)
class Step:
    """One more input joined; without a `reach` it is a relation, or the first stream."""

    input: Input
    tests: tuple[Condition, ...]
    reach: Reach | None = None
    # Whether some test is an equality of two columns: Spark's join of streams needs one.
    is_equality: bool = True


@dataclass(frozen=True, slots=True)
class Join:
    """Inputs joined one after the other, from the left.

    `names` tell what each step joins. `stored` and `found` name operators of the plan: what this
    join holds is what that one holds, and what it finds is what that one passes on.
    """

    first: Input
    steps: tuple[Step, ...]
    names: tuple[str, ...]
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


@dataclass(frozen=True, slots=True)
class Taking:
    """A query takes those results of a join that pass these tests.

    `members` are the numbers of the inputs in the query's FROM order.
    """

    query: int
    join: int
    members: tuple[int, ...]
    tests: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class NativeJoins:
    """The joins of a plan, and what each of its queries takes from them."""

    queries: tuple[str, ...]
    joins: tuple[Join, ...]
    takings: tuple[Taking, ...]
    # What a user should know of how Spark runs the plan.
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        """Every stream and relation that is read, each once."""
        return tuple(dict.fromkeys(i.table for join in self.joins for i in join.inputs))
