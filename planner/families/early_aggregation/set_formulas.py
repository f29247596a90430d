"""The formulas of aggregation sets: early ones, and the groups of the output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.families.early_aggregation import extrema
from planner.families.early_aggregation.groups import groups_of
from planner.families.early_aggregation.plans import reaching, update_cost
from planner.families.early_aggregation.published_model import PrintedModel
from planner.families.early_aggregation.symbols import PRINTED, Symbols
from planner.joins.probes import Probe
from planner.joins.symbols import figure
from planner.joins.upkeep_formulas import COUNTED
from planner.plan.cost import Formula


def set_formulas(symbols: Symbols, place: int) -> Iterator[Formula]:
    """An early aggregation: its updates, its entries, and extrema that are found anew."""
    content, printed = symbols.model.contents[place], PrintedModel(symbols.model)
    events, name = symbols.events(place), symbols.name(place)
    yield Formula("group_updates", *events, content.events, COUNTED)
    accesses = printed.set_access(place)
    yield Formula(
        "group_updates",
        rf"{events[0]} \max\left(1, \frac{{\alpha_{{{name}}}}}{{B_{{{name}}}}}\right)",
        rf"{events[1]} \cdot {figure(accesses)}",
        content.events * accesses,
        PRINTED,
    )
    mean = content.mean(is_set=True)
    yield Formula("state_tuples", *symbols.entries_of(place), mean, symbols.model_name)
    tuples, cells = figure(printed.tuples(place)), figure(content.cells.number)
    yield Formula(
        "state_tuples",
        rf"\min\left(w_{{{name}}}, G_{{{name}}}\right)",
        rf"\min\left({tuples}, {cells}\right)",
        printed.entries(place),
        PRINTED,
    )
    again = extrema.in_set(symbols.model, place)
    if again.times:
        yield Formula(
            "comparisons",
            rf"\lambda_{{{name}}} \sum_x p_x \, \mu (1 - b_x) e^{{-\mu b_x}}",
            rf"{figure(content.window.rate)} \cdot {figure(again.examined / content.window.rate)}",
            again.examined,
            symbols.model_name,
        )


def update_formulas(symbols: Symbols, probes: Sequence[Probe]) -> Iterator[Formula]:
    """The late aggregation: its updates, its groups, and extrema that are found anew."""
    model, mask, printed = symbols.model, symbols.mask, PrintedModel(symbols.model)
    everything = range(model.count)
    rates = [reaching(model, mask, origin) for origin in model.origins]
    written = [symbols.composites(k, everything, 0.0)[0] for k in model.origins]
    yield Formula(
        "group_updates",
        " + ".join(written),
        " + ".join(figure(rate) for rate in rates),
        sum(rates),
        symbols.model_name,
    )
    updating, accesses = printed.updating(mask, _orders(symbols, probes)), printed.group_access
    yield Formula(
        "group_updates",
        r"\max\left(1, \frac{\alpha}{B_g}\right) \sum_k 2 \lambda_k \prod_j n_j",
        rf"{figure(accesses)} \cdot {figure(updating / accesses)}",
        updating,
        PRINTED,
    )
    groups = groups_of(model).expected
    yield Formula("state_tuples", r"\alpha", figure(groups), groups, symbols.model_name)
    bounds = [(figure(printed.tuples(p)), figure(printed.groups(p))) for p in everything]
    yield Formula(
        "state_tuples",
        r"\prod_i \min(w_i, g_i)",
        r" \cdot ".join(rf"\min({w}, {g})" for w, g in bounds),
        printed.output_groups,
        PRINTED,
    )
    times = extrema.in_output(model)
    if times:
        examined = update_cost(model, mask, probes).comparisons
        name = symbols.name(model.walked_from)
        yield Formula(
            "comparisons",
            rf"\nu \, e_{{{name}}} \left(1 + \frac{{c_{{{name}}}}}{{g_{{{name}}}}}\right)",
            rf"{figure(times)} \cdot {figure(examined / times)}",
            examined,
            symbols.model_name,
        )


def output(symbols: Symbols) -> Formula:
    """Changes of groups: those that each arrival or departure touches."""
    groups, origins = groups_of(symbols.model), symbols.model.origins
    written = [(symbols.events(k), symbols.name(k), figure(groups.touched(k))) for k in origins]
    return Formula(
        "rows_out",
        " + ".join(rf"{events[0]} \gamma_{{{name}}}" for events, name, _ in written),
        " + ".join(rf"{events[1]} \cdot {touched}" for events, _, touched in written),
        groups.changes,
        symbols.model_name,
    )


def _orders(symbols: Symbols, probes: Sequence[Probe]) -> Iterator[tuple[int, ...]]:
    """The whole order of every origin's pipeline."""
    whole = {p.origin: p.reached for p in probes if len(p.reached) == symbols.model.count}
    for origin in symbols.model.origins:
        yield whole.get(origin, (origin,))
