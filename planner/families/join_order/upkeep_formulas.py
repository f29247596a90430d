"""The formulas of what keeps the windows: arrivals, filters, inserts, expirations, tables."""

from __future__ import annotations

from collections.abc import Collection

from planner.cost import Formula
from planner.families.join_order.graph import Key
from planner.families.join_order.model import JoinModel
from planner.families.join_order.symbols import figure, longer, stated, tex
from planner.plan import Operator

COUNTED = "one count per tuple or visit"
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
        changes = (("inserts", window.inserts), ("expirations", window.deletes))
        return (
            Formula("state_tuples", rf"R_{{{name}}}", figure(window.kept), window.kept, COUNTED),
            *(Formula(f, rf"\Delta_{{{name}}}", figure(x), x, COUNTED) for f, x in changes if x),
        )
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
    if window.counted:
        return Formula("expirations", leaves, leaves_value, result, COUNTED)
    visits = " + ".join(figure(model.windows[p].rate) for p in model.origins)
    return Formula(
        "expirations",
        rf"\sum_i \lambda_i + {leaves}",
        rf"\left({visits}\right) + {leaves_value}",
        result,
        COUNTED,
    )
