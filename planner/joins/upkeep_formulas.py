"""The formulas of what keeps the windows: arrivals, filters, inserts, expirations, tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from planner.joins.graph import Key
from planner.joins.model import JoinModel
from planner.joins.symbols import figure, longer, stated, tex
from planner.plan.cost import Formula
from planner.plan.plan import Operator

COUNTED = "one count per tuple or visit"
MIDDLE = "at the middle of the measured span: no steady state"
HELD = "paper, Appendix A"


def keeping(
    model: JoinModel, operator: Operator, place: int, indexes: Collection[Key]
) -> tuple[Formula, ...]:
    """The formulas of an operator that feeds or holds a window."""
    window = model.windows[place]
    name = tex(window)
    rate, value = rf"\lambda_{{{name}}}", figure(window.rate)
    if operator.kind == "arrive":
        arriving = figure(window.arrivals)
        return (Formula("rows_out", rate, arriving, window.arrivals, COUNTED),)
    if operator.kind == "filter":
        step = next(s for s in window.filters if s.text == operator.param("condition"))
        share = figure(step.passed / step.reached) if step.reached else "0"
        reached = figure(step.reached)
        return (
            Formula("comparisons", r"\lambda", reached, step.reached, COUNTED),
            Formula(
                "rows_out", r"\lambda \sigma", rf"{reached} \cdot {share}", step.passed, COUNTED
            ),
        )
    if operator.kind == "table":
        return tuple(_table(model, place, indexes))
    if operator.kind == "insert":
        held = stated(window)
        if model.timing.expire is not None:
            extra = (r"\frac{E}{2}", figure(model.timing.kept_extra))
            held = longer(window, extra, window.kept)
        return (
            Formula("inserts", rate, value, window.rate, COUNTED),
            Formula("state_tuples", *held, window.kept, HELD),
        )
    return (_expirations(model, place, indexes),)


def _table(model: JoinModel, place: int, indexes: Collection[Key]) -> Iterator[Formula]:
    window = model.windows[place]
    name = tex(window)
    grows = window.inserts != window.deletes
    symbols, values, waiting = rf"R_{{{name}}}", figure(window.tuples), window.kept - window.tuples
    if waiting:
        # Until the next evaluation; where nothing is lazy, until the last window has lost what
        # arrived before.
        waited = r"\frac{\tau}{2}" if model.timing.evaluate is not None else "T_{max}"
        symbols += rf" + \Delta^-_{{{name}}} {waited}"
        values += f" + {figure(waiting)}"
    yield Formula("state_tuples", symbols, values, window.kept, MIDDLE if grows else COUNTED)
    if window.arrivals:
        arriving = figure(window.arrivals)
        yield Formula("rows_out", rf"\Delta_{{{name}}}", arriving, window.arrivals, COUNTED)
        gained = figure(window.inserts)
        yield Formula("inserts", rf"\Delta^+_{{{name}}}", gained, window.inserts, COUNTED)
    if window.deletes:
        count, lost = 1 + len(indexes), figure(window.deletes)
        yield Formula(
            "expirations",
            rf"{count} \Delta^-_{{{name}}}" if indexes else rf"\Delta^-_{{{name}}}",
            rf"{count} \cdot {lost}" if indexes else lost,
            model.ended(place, indexes),
            COUNTED,
        )


def _expirations(model: JoinModel, place: int, indexes: Collection[Key]) -> Formula:
    window, every = model.windows[place], model.timing.expire
    rate, value = rf"\lambda_{{{tex(window)}}}", figure(window.rate)
    result = model.expirations(place, indexes)
    if every is not None:
        visited = figure(model.buckets_visited(place, indexes))
        symbols = rf"{rate} + \frac{{B}}{{E}}"
        values = rf"{value} + \frac{{{visited}}}{{{figure(every)}}}"
        return Formula("expirations", symbols, values, result, COUNTED)
    leaves = rate if not indexes else f"{1 + len(indexes)} {rate}"
    leaves_value = value if not indexes else rf"{1 + len(indexes)} \cdot {value}"
    if window.ends == "never":
        return Formula("expirations", "0", "0", result, COUNTED)
    if window.counted:
        return Formula("expirations", leaves, leaves_value, result, COUNTED)
    visits = " + ".join(figure(model.windows[p].rate) for p in model.origins)
    if window.ends == "together":
        return Formula("expirations", r"\sum_i \lambda_i", visits, result, COUNTED)
    return Formula(
        "expirations",
        rf"\sum_i \lambda_i + {leaves}",
        rf"\left({visits}\right) + {leaves_value}",
        result,
        COUNTED,
    )
