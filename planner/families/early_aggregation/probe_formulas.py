"""The formulas of a probe: what it examines, under both models, and what it passes on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from planner.families.early_aggregation.plans import probe_cost
from planner.families.early_aggregation.published_model import PrintedModel
from planner.families.early_aggregation.states import state_arrays
from planner.families.early_aggregation.symbols import PRINTED, Symbols
from planner.joins.probes import Probe
from planner.joins.symbols import figure
from planner.plan.cost import Formula


def probe_formulas(symbols: Symbols, probe: Probe) -> Iterator[Formula]:
    """What a probe examines and passes on."""
    model, mask = symbols.model, symbols.mask
    arrays = state_arrays(model)
    events = model.contents[probe.origin].events
    is_set = bool(mask >> probe.target & 1)
    before = symbols.state(probe.joined, probe.origin)
    after = before + (2 if is_set else 1) * 3**probe.target
    size = arrays.size(probe.origin)
    met = float(size[after] / size[before]) if size[before] else 0.0
    passed = arrays.passed(probe.origin)
    entries = float(passed[before] * met)
    window = model.join.windows[probe.target]
    ended = window.examined - window.tuples if window.is_relation else 0.0
    examined = probe_cost(model, mask, probe)
    # What is left of all pairs, whichever way: by a bucket, and by matching.
    part = examined.comparisons / (passed[before] * (met + ended)) if entries else 1.0
    share = examined.rows_out / entries if entries else 0.0
    reached = float(passed[before] / events) if events else 0.0
    composites = symbols.composites(probe.origin, probe.joined, reached)
    content, meaning = symbols.content_of(probe.target, is_set, met)
    held = symbols.with_ended(probe.target, content, ended)
    looked = (rf" \cdot \rho_{{{symbols.name(probe.target)}}}", rf" \cdot {figure(part)}")
    if math.isclose(part, 1):
        looked = ("", "")
    yield Formula(
        "comparisons",
        rf"{composites[0]} \cdot {held[0]}{looked[0]}{meaning[0]}",
        rf"{composites[1]} \cdot {held[1]}{looked[1]}{meaning[1]}",
        examined.comparisons,
        symbols.model_name,
    )
    yield _printed(symbols, probe)
    yield Formula(
        "rows_out",
        rf"{composites[0]} \cdot {content[0]} \cdot \sigma{meaning[0]}",
        rf"{composites[1]} \cdot {content[1]} \cdot {figure(share)}{meaning[1]}",
        examined.rows_out,
        symbols.model_name,
    )


def _printed(symbols: Symbols, probe: Probe) -> Formula:
    printed, name = PrintedModel(symbols.model), symbols.name(probe.target)
    is_set = bool(symbols.mask >> probe.target & 1)
    events = symbols.events(probe.origin)
    order = (*probe.joined, probe.target)
    passing = printed.passing(symbols.mask, order, len(probe.joined))
    held = rf"\alpha_{{{name}}}" if is_set else rf"w_{{{name}}}"
    if symbols.model.join.windows[probe.target].access == "hash":
        held = rf"\frac{{{held}}}{{B_{{{name}}}}}"
    fan_out = (r"\prod_j n_j \cdot ", rf"{figure(passing)} \cdot ")
    if len(probe.joined) == 1:
        fan_out = ("", "")
    examined = printed.examined(symbols.mask, probe.joined, probe.target)
    return Formula(
        "comparisons",
        rf"{events[0]} \cdot {fan_out[0]}{held}",
        rf"{events[1]} \cdot {fan_out[1]}{figure(examined)}",
        printed.probing(symbols.mask, probe),
        PRINTED,
    )
