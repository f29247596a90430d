"""What it costs to feed and to hold the windows, whatever probes them: with the formulas.

Windows are written as the query states them (lambda T, N rows, R rows of a relation), and longer
where tuples wait for an evaluation or an expiration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from planner.joins.graph import Key
from planner.joins.model import JoinModel
from planner.joins.probes import Indexes
from planner.joins.windows import FilterStep, JoinWindow, Timing
from planner.plan.cost import Cost, Formula, cost_of
from planner.plan.expression import Expression, number, subscript, symbol, total
from planner.plan.plan import Operator

COUNTED = "one count per tuple or visit"
MIDDLE = "at the middle of the measured span: no steady state"
# What explanations say of a window that never ends.
NEVER_STEADY = (
    "A landmark window has no steady state: it is priced as it is at the middle of the measured "
    "span."
)
HELD = "paper, Appendix A"


def upkeep(
    model: JoinModel, indexes: Indexes, keeps_alone: bool = True
) -> Iterator[tuple[str, Cost]]:
    """What every plan spends beside its probes: the operators' kinds with their costs.

    A stream that is alone with relations is probed by nobody: aggregations keep it all the same.
    """
    for place, window in enumerate(model.windows):
        for step in window.filters:
            yield "filter", cost_of(_filter(step))
        kinds: tuple[str, ...] = (
            ("table",) if window.is_relation else ("arrive", "insert", "expire")
        )
        if model.origins == (place,) and not keeps_alone:
            kinds = ("arrive",)
        for kind in kinds:
            yield kind, cost_of(_holding(model, kind, place, indexes[place]))


def keeping(
    model: JoinModel, operator: Operator, place: int, indexes: Collection[Key]
) -> Iterator[Formula]:
    """The formulas of an operator that feeds or holds a window."""
    if operator.kind != "filter":
        return _holding(model, operator.kind, place, indexes)
    filters = model.windows[place].filters
    return _filter(next(step for step in filters if step.text == operator.param("condition")))


def _filter(step: FilterStep) -> Iterator[Formula]:
    reached = symbol(r"\lambda", step.reached)
    share = symbol(r"\sigma", step.passed / step.reached if step.reached else 0.0)
    yield Formula("comparisons", reached, COUNTED)
    yield Formula("rows_out", (reached * share).valued(step.passed), COUNTED)


def _holding(
    model: JoinModel, kind: str, place: int, indexes: Collection[Key]
) -> Iterator[Formula]:
    window, name = model.windows[place], subscript(model.aliases[place])
    if kind == "arrive":
        arriving = symbol(rf"\lambda_{{{name}}}", window.arrivals)
        yield Formula("rows_out", arriving, COUNTED)
    elif kind == "table":
        yield from _table(model, place, indexes)
    elif kind == "insert":
        yield Formula("inserts", rate(window), COUNTED)
        held = stated(window)
        if model.timing.expire is not None:
            half = symbol("E", model.timing.expire) / number(2)
            held = _longer(model, window, half, window.kept)
        yield Formula("state_tuples", held, MIDDLE if window.ends == "never" else HELD)
    else:
        yield Formula("expirations", expirations(model, place, indexes), COUNTED)


def _table(model: JoinModel, place: int, indexes: Collection[Key]) -> Iterator[Formula]:
    window, name = model.windows[place], subscript(model.aliases[place])
    held, waiting = stated(window), window.kept - window.tuples
    lost = symbol(rf"\Delta^-_{{{name}}}", window.deletes)
    if waiting:
        # Until the next evaluation; where nothing is lazy, until the last window has lost what
        # arrived before.
        waited = "T_{max}" if model.timing.evaluate is None else r"\frac{\tau}{2}"
        held += symbol(rf"{lost.symbols} {waited}", waiting)
    grows = window.inserts != window.deletes
    yield Formula("state_tuples", held.valued(window.kept), MIDDLE if grows else COUNTED)
    if window.arrivals:
        yield Formula("rows_out", symbol(rf"\Delta_{{{name}}}", window.arrivals), COUNTED)
        yield Formula("inserts", symbol(rf"\Delta^+_{{{name}}}", window.inserts), COUNTED)
    if window.deletes:
        yield Formula("expirations", _each(lost, indexes), COUNTED)


def expirations(model: JoinModel, place: int, indexes: Collection[Key]) -> Expression:
    """Timestamp checks and visits to expire tuples from a window with these indexes.

    Eager: a visit per arriving tuple of any source (a count window is visited by its own only), a
    check per tuple that leaves, a visit of its bucket in every index. Lazy: a check per tuple that
    leaves, and every time all buckets of every index. A block that is dropped as a whole is visited
    only, and a landmark window never.
    """
    window, every = model.windows[place], model.timing.expire
    if every is not None:
        visited = symbol("B", model.buckets_visited(place, indexes))
        return rate(window) + visited / symbol("E", every)
    if window.ends == "never":
        return number(0.0)
    leaving = _each(rate(window), indexes)
    if window.counted:
        return leaving
    visits = total(rate(model.windows[p]) for p in model.origins).short(r"\sum_i \lambda_i")
    return visits if window.ends == "together" else visits + leaving


def _each(leaving: Expression, indexes: Collection[Key]) -> Expression:
    """A look at every tuple that leaves, and a visit of its bucket in every index."""
    return number(1 + len(indexes)) * leaving if indexes else leaving


# --- windows --------------------------------------------------------------------------------------


def rate(window: JoinWindow) -> Expression:
    """lambda: tuples per second that pass the filters."""
    return symbol(rf"\lambda_{{{subscript(window.alias)}}}", window.rate)


def stay(window: JoinWindow, extra: float = 0.0) -> Expression:
    """T: how long a tuple stays; `extra` seconds of what the window has are not the query's.

    In a tumbling window half of that on average, in a landmark window all until the middle.
    """
    length = rf"T_{{{subscript(window.alias)}}}"
    if window.tumbling:
        return symbol(length, 2 * (window.seconds - extra)) / number(2)
    return symbol("t" if window.ends == "never" else length, window.seconds - extra)


def stated(window: JoinWindow, extra: float = 0.0) -> Expression:
    """A window as the query states it: lambda T, N rows, or the rows of a relation."""
    name = subscript(window.alias)
    if window.is_relation:
        return symbol(rf"R_{{{name}}}", window.tuples)
    tuples = window.tuples - window.rate * extra
    if window.counted:
        return symbol(rf"N_{{{name}}}", tuples)
    return (rate(window) * stay(window, extra)).valued(tuples)


def examined(model: JoinModel, window: JoinWindow) -> Expression:
    """A window as a scan finds it."""
    if model.timing.expire is None:
        return stated(window)
    return _longer(model, window, examined_extra(model.timing), window.examined)


def examined_extra(timing: Timing) -> Expression:
    """Seconds that a scan finds beyond the window."""
    expire, tau = symbol("E", timing.expire or 0.0), symbol(r"\tau", timing.evaluate or 0.0)
    if timing.evaluate is None:
        return expire / number(2)
    return tau if timing.expire == timing.evaluate else (expire + tau) / number(2)


def _longer(model: JoinModel, window: JoinWindow, more: Expression, tuples: float) -> Expression:
    """A window that holds some seconds of tuples beyond what is stated."""
    # Where the paper's model lets results grow, its windows have grown already.
    grown = model.timing.examined_extra if model.grows else 0.0
    if window.is_relation:
        ended = tuples - window.tuples
        lost = symbol(rf"\Delta^-_{{{subscript(window.alias)}}} \tau", ended)
        return (stated(window) + lost).valued(tuples) if ended else stated(window)
    if window.counted:
        return (stated(window, grown) + rate(window) * more).valued(tuples)
    return (rate(window) * (stay(window, grown) + more)).valued(tuples)


def feed_of(window: JoinWindow) -> Operator:
    """What arrives on a source (or stands in a relation), after its filters."""
    if window.is_relation:
        feed = Operator("table", (("source", window.alias), ("relation", window.name)))
    else:
        feed = Operator("arrive", (("source", window.alias), ("stream", window.name)))
    for step in window.filters:
        feed = Operator("filter", (("source", window.alias), ("condition", step.text)), (feed,))
    return feed


def kept_by(window: JoinWindow, feed: Operator, when: str) -> Operator:
    """The operators that hold a window: insert, then expire. A relation is held as it is."""
    if window.window is None:
        return feed
    params = (
        ("source", window.alias),
        ("window", window.window),
        ("access", window.access),
        ("buckets", window.buckets),
    )
    insert = Operator("insert", params, (feed,))
    return Operator("expire", (("source", window.alias), ("when", when)), (insert,))
