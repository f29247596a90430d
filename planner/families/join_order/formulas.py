"""The formula behind every predicted figure, in symbols and with the values filled in.

The first formula of a figure is the one it comes from; other models of it stand beside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from planner.joins.graph import Key
from planner.joins.model import JoinModel
from planner.joins.probes import Probe
from planner.joins.symbols import (
    Written,
    examined,
    examined_extra,
    figure,
    phi,
    seconds,
    size,
    tex,
)
from planner.joins.upkeep_formulas import keeping
from planner.plan.cost import Formula
from planner.plan.plan import Operator

PAPER = "paper, Appendix A"
CORRECTED = "corrected: results held to the windows as stated"
EXACT_BUCKETS = "exact share of a bucket"
SKEWED = "from the frequencies of the keys"
UNIFORM = "uniform keys"
GRAPH = "join graph"
OWN_COPY = "self-join: a tuple meets its own copy"
CHANGING = "rows of relations active at the arrival of every tuple"
PRINTED_BUCKETS = "paper, Section 5.3"


class Formulas(Mapping[str, tuple[Formula, ...]]):
    """The formulas of a plan by operator id. Each is written when it is asked for, not before."""

    def __init__(
        self,
        operators: Sequence[Operator],
        probes: Mapping[str, Probe],
        model: JoinModel,
        indexes: Mapping[int, tuple[Key, ...]],
    ) -> None:
        self._operators = {operator.id: operator for operator in operators}
        self._probes = probes
        self._model = model
        self._indexes = indexes

    def __getitem__(self, operator_id: str) -> tuple[Formula, ...]:
        operator, model = self._operators[operator_id], self._model
        if operator.kind == "probe":
            return tuple(_probe(model, self._probes[operator_id]))
        if operator.kind == "output":
            return tuple(_beside(model, _output))
        place = model.aliases.index(str(operator.param("source")))
        return keeping(model, operator, place, self._indexes[place])

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)


def _probe(model: JoinModel, probe: Probe) -> Iterator[Formula]:
    yield from _beside(model, lambda one, name: _comparisons(one, probe, name))
    printed = _printed_buckets(model, probe)
    if printed is not None:
        yield printed
    yield from _beside(model, lambda one, name: _passed_down(one, probe, name))


def _beside(model: JoinModel, write: Callable[[JoinModel, str], Formula]) -> Iterator[Formula]:
    """A figure under the model it comes from, and under the others where they differ."""
    main = write(model, _model_name(model))
    yield main
    others = []
    if model.timing.expire is not None:
        others.append((model.as_printed(), PAPER))
    if _is_skewed(model):
        others.append((model.as_uniform(), UNIFORM))
    for other, name in others:
        formula = write(other, name)
        if not math.isclose(formula.result, main.result, rel_tol=1e-9):
            yield formula


def _model_name(model: JoinModel) -> str:
    """What makes the model of this join another than the paper's, all of it."""
    names = {
        OWN_COPY: model.graph.twins is not None,
        CHANGING: model.is_changing,
        SKEWED: _is_skewed(model),
        CORRECTED: model.timing.expire is not None,
        GRAPH: not model.is_single,
    }
    return "; ".join(name for name, holds in names.items() if holds) or PAPER


def _is_skewed(model: JoinModel) -> bool:
    return any(key.zipf for known in model.graph.classes for key in known.keys)


def _comparisons(model: JoinModel, probe: Probe, name: str) -> Formula:
    passed, meaning = _passed(model, probe.origin, probe.joined)
    scanned = _scanned(model, probe)
    if scanned[2] and not model.grows:
        name = EXACT_BUCKETS if name == PAPER else f"{name}; {EXACT_BUCKETS}"
    return Formula(
        "comparisons",
        rf"{passed[0]} \cdot {scanned[0]}{meaning[0]}",
        rf"{passed[1]} \cdot {scanned[1]}{meaning[1]}",
        model.comparisons(probe.origin, probe.joined, probe.target),
        name,
    )


def _passed_down(model: JoinModel, probe: Probe, name: str) -> Formula:
    passed, meaning = _passed(model, probe.origin, probe.reached)
    return Formula(
        "rows_out",
        f"{passed[0]}{meaning[0]}",
        f"{passed[1]}{meaning[1]}",
        model.matches(probe.origin, probe.reached),
        name,
    )


def _passed(model: JoinModel, origin: int, members: Sequence[int]) -> tuple[Written, Written]:
    """Composites per second, and what the size in that formula stands for.

    alpha is the share whose rows of relations were active at the arrival of all their tuples.
    """
    written, meaning = _combined(model, origin, members)
    active = model.active(origin, members)
    if active == 1 or model.graph.twins is not None:
        return written, meaning
    return (rf"\alpha {written[0]}", rf"{figure(active)} \cdot {written[1]}"), meaning


def _combined(model: JoinModel, origin: int, members: Sequence[int]) -> tuple[Written, Written]:
    window = model.windows[origin]
    name = tex(window)
    if model.graph.twins is not None and len(members) > 1:
        value = figure(model.matches(origin, members))
        return (rf"\mu_{{{name}}}", value), ("", "")
    tau = model.timing.evaluate
    if origin in members:
        grown = model.grows
        held, meaning = size(model, members, grown)
        length = rf"T_{{{name}}}"
        if grown:
            length = rf"\left(T_{{{name}}} + {_extra(model)}\right)"
        symbols = rf"\frac{{{phi(model, members, grown)}}}{{{length}}}"
        return (symbols, rf"\frac{{{figure(held)}}}{{{seconds(window)}}}"), meaning
    grown = model.timing.expire is not None
    held, meaning = size(model, members, grown)
    what = phi(model, members, grown)
    if tau is None:
        written = (rf"\lambda_{{{name}}} {what}", rf"{figure(window.rate)} \cdot {figure(held)}")
    else:
        # No loop runs where an evaluation finds nothing new: p is how often it does.
        often, value = (
            (rf"p_{{{name}}}", figure(window.active)) if window.active < 1 else ("1", "1")
        )
        written = (
            rf"\frac{{{often}}}{{\tau}} {what}",
            rf"\frac{{{value}}}{{{figure(tau)}}} \cdot {figure(held)}",
        )
    return written, meaning


def _scanned(model: JoinModel, probe: Probe) -> tuple[str, str, bool]:
    """What one composite examines, and whether a bucket is looked up for it."""
    if probe.target == probe.origin:
        tau, name = model.timing.evaluate, tex(model.windows[probe.origin])
        if tau is None:
            return "1", "1", False
        window = model.windows[probe.origin]
        written = rf"\lambda_{{{name}}} \tau", rf"{figure(window.rate)} \cdot {figure(tau)}"
        if window.active < 1:
            chance = rf"p_{{{name}}}", figure(window.active)
            symbols, values = (
                rf"\frac{{{one}}}{{{two}}}" for one, two in zip(written, chance, strict=True)
            )
            return symbols, values, False
        return *written, False
    target = model.windows[probe.target]
    symbols, values = examined(model, target)
    if model.varies and probe.origin not in probe.joined:
        # Not the plain mean: longer where there are more composites to go through it.
        symbols = rf"\overline{{{symbols}}}"
        values = figure(model.met(probe.origin, probe.joined, probe.target))
    if model.graph.twins is not None and target.access == "hash":
        return "s", figure(model.scanned(probe.origin, probe.joined, probe.target)), False
    known = model.graph.linking(probe.joined, probe.target)
    if target.access == "scan" or known is None:
        return symbols, values, False
    part = figure(model.fraction(probe.joined, probe.target))
    name = tex(target)
    if target.buckets == "per-value":
        share = rf"\frac{{1}}{{\max(m, v_{{{name}}})}}"
        if known.declared is not None or _is_skewed(model):
            share = r"\sigma"
    else:
        share = rf"\sum_{{r < b_{{{name}}}}} \frac{{m_r}}{{m}} \frac{{v_r}}{{v_{{{name}}}}}"
    return rf"{symbols} \cdot {share}", rf"{values} \cdot {part}", True


def _printed_buckets(model: JoinModel, probe: Probe) -> Formula | None:
    """The paper's cost of a bucket, lambda T / b, where the exact share is another."""
    target = model.windows[probe.target]
    known = model.graph.linking(probe.joined, probe.target)
    key = known.key(probe.target) if known is not None else None
    if probe.target == probe.origin or target.access == "scan" or key is None:
        return None
    buckets = key.distinct if target.buckets == "per-value" else target.buckets
    if math.isclose(model.fraction(probe.joined, probe.target), 1 / buckets, rel_tol=1e-9):
        return None
    passed, meaning = _passed(model, probe.origin, probe.joined)
    symbols, values = examined(model, target)
    return Formula(
        "comparisons",
        rf"{passed[0]} \cdot {symbols} \cdot \frac{{1}}{{b_{{{tex(target)}}}}}{meaning[0]}",
        rf"{passed[1]} \cdot {values} \cdot \frac{{1}}{{{buckets}}}{meaning[1]}",
        model.matches(probe.origin, probe.joined) * target.examined / buckets,
        PRINTED_BUCKETS,
    )


def _output(model: JoinModel, name: str) -> Formula:
    places = range(len(model.windows))
    value = sum(model.matches(origin, places) for origin in model.origins)
    if model.graph.twins is not None or model.is_changing:
        parts = " + ".join(figure(model.matches(origin, places)) for origin in model.origins)
        symbols = " + ".join(rf"\mu_{{{tex(model.windows[p])}}}" for p in model.origins)
        return Formula("rows_out", symbols, parts, value, name)
    held, meaning = size(model, places, model.grows)
    origins = [model.windows[place] for place in model.origins]
    more = f" + {_extra(model)}" if model.grows else ""
    spans = " + ".join(rf"\frac{{1}}{{T_{{{tex(w)}}}{more}}}" for w in origins)
    values = " + ".join(rf"\frac{{1}}{{{seconds(w)}}}" for w in origins)
    return Formula(
        "rows_out",
        rf"{phi(model, places, model.grows)} \left({spans}\right){meaning[0]}",
        rf"{figure(held)} \left({values}\right){meaning[1]}",
        value,
        name,
    )


def _extra(model: JoinModel) -> str:
    return examined_extra(model.timing)[0]
