"""What every operator of a join-order plan should cost per second of stream time, and why.

Every figure is an expression: the cost is its value. What other models say stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from planner.families.join_order.plans import LoopOrders
from planner.joins.model import JoinModel
from planner.joins.probes import (
    Indexes,
    Probe,
    index_used,
    indexes_used,
    probes_along,
    probes_of,
)
from planner.joins.upkeep import examined, examined_extra, keeping, rate, stated, stay
from planner.joins.windows import JoinWindow
from planner.plan.cost import Cost, Estimate, Formula, Formulas, Quality, cost_of
from planner.plan.expression import Expression, number, product, subscript, symbol, total
from planner.plan.plan import Plan

PAPER = "paper, Appendix A"
CORRECTED = "corrected: results held to the windows as stated"
EXACT_BUCKETS = "exact share of a bucket"
SKEWED = "from the frequencies of the keys"
UNIFORM = "uniform keys"
GRAPH = "join graph"
OWN_COPY = "self-join: a tuple meets its own copy"
CHANGING = "rows of relations active at the arrival of every tuple"
PRINTED_BUCKETS = "paper, Section 5.3"


def estimate(plan: Plan, model: JoinModel) -> Estimate:
    """Price every operator; other models of the figures are worked out when they are read."""
    operators = plan.operators()
    probes = probes_of(operators, model)
    places = {alias: place for place, alias in enumerate(model.aliases)}
    indexes = indexes_used(model, probes.values())
    figures = _JoinFigures(model, _model_name(model))
    priced: dict[str, tuple[Formula, ...]] = {}
    costs: dict[str, Cost] = {}
    for operator in operators:
        if operator.kind == "probe":
            found = figures.probe(probes[operator.id])
        elif operator.kind == "output":
            rows = sum(costs[end.id].rows_out for end in operator.inputs)
            found = (figures.output(rows),)
        else:
            place = places[str(operator.param("source"))]
            found = tuple(keeping(model, operator, place, indexes[place]))
        priced[operator.id] = found
        costs[operator.id] = cost_of(found)
    roots = {root.id for root in plan.roots}

    def beside(operator_id: str) -> Iterator[Formula]:
        if operator_id in probes or operator_id in roots:
            yield from _beside(figures, priced[operator_id], probes.get(operator_id))

    return Estimate(costs, {model.query: _delays(model)}, Formulas(priced, beside))


def _delays(model: JoinModel) -> Quality:
    """How long results wait for an evaluation: their last tuple comes at any time before it."""
    tau = model.timing.evaluate
    if tau is None:
        return Quality()
    return Quality(delay_ms=1e3 * tau / 2, delay_ms_max=1e3 * tau)


def indexes_of(model: JoinModel, loops: LoopOrders) -> Indexes:
    """The indexes that these loops look into."""
    return indexes_used(model, probes_along(zip(model.origins, loops.orders, strict=True)))


def results(model: JoinModel) -> float:
    """Rows per second that leave the join, under every plan."""
    places = range(len(model.windows))
    return sum(model.matches(origin, places) for origin in model.origins)


# --- models ---------------------------------------------------------------------------------------


def _beside(
    figures: _JoinFigures, main: Sequence[Formula], probe: Probe | None
) -> Iterator[Formula]:
    """What other models say of a probe, or of the output, where they differ."""
    model, others = figures.model, []
    if model.timing.expire is not None:
        others.append(_JoinFigures(model.as_printed(), PAPER))
    if _is_skewed(model):
        others.append(_JoinFigures(model.as_uniform(), UNIFORM))
    for other in others:
        found = other.probe(probe) if probe else (other.output(results(other.model)),)
        for formula, own in zip(found, main, strict=True):
            if not math.isclose(formula.result, own.result, rel_tol=1e-9):
                yield formula
    if probe:
        yield from figures.printed_buckets(probe)


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


# --- figures --------------------------------------------------------------------------------------


class _JoinFigures:
    """The figures of probes and of the output under one model."""

    def __init__(self, model: JoinModel, name: str) -> None:
        self.model, self._name = model, name
        self._stated = [stated(window) for window in model.windows]
        self._examined = [examined(model, window) for window in model.windows]
        self._per_second: dict[tuple[int, tuple[int, ...]], Expression] = {}
        self._skewed = _is_skewed(model)
        # v, of every source that has all values of the one attribute, each as often as any other.
        self._distinct: dict[int, Expression] = {}
        if model.is_single and model.graph.classes[0].declared is None:
            for key in model.graph.classes[0].keys:
                if not key.zipf and key.first == 1:
                    name = f"v_{{{subscript(model.aliases[key.place])}}}"
                    self._distinct[key.place] = symbol(name, float(key.distinct))

    def probe(self, probe: Probe) -> tuple[Formula, ...]:
        """What a probe examines, and what it passes on."""
        model, name = self.model, self._name
        looked_up = index_used(model, probe.origin, probe.joined, probe.target) is not None
        passed = self._passed(probe.origin, probe.joined)
        scanned = self._scanned(probe, looked_up)
        if looked_up and model.graph.twins is None and not model.grows:
            name = EXACT_BUCKETS if name == PAPER else f"{name}; {EXACT_BUCKETS}"
        return (
            Formula("comparisons", passed if scanned is None else passed * scanned, name),
            Formula("rows_out", self._passed(probe.origin, probe.reached), self._name),
        )

    def printed_buckets(self, probe: Probe) -> Iterator[Formula]:
        """The paper's cost of a bucket, lambda T / b, where the exact share is another."""
        model, target = self.model, self.model.windows[probe.target]
        key = index_used(model, probe.origin, probe.joined, probe.target)
        if key is None:
            return
        count = key.distinct if target.buckets == "per-value" else target.buckets
        if math.isclose(model.fraction(probe.joined, probe.target), 1 / count, rel_tol=1e-9):
            return
        buckets = symbol(f"b_{{{subscript(target.alias)}}}", count)
        found = self._passed(probe.origin, probe.joined) * self._examined[probe.target] / buckets
        yield Formula("comparisons", found, PRINTED_BUCKETS)

    def output(self, rows: float) -> Formula:
        """So many results: what the loops of all origins pass on."""
        model, places = self.model, tuple(range(len(self.model.windows)))
        if model.graph.twins is not None or model.is_changing:
            found = total(
                symbol(rf"\mu_{{{subscript(model.aliases[p])}}}", model.matches(p, places))
                for p in model.origins
            )
        else:
            spans = total(number(1) / self._length(model.windows[p]) for p in model.origins)
            found = self._size(places, model.grows) * spans
        return Formula("rows_out", found.valued(rows), self._name)

    def _passed(self, origin: int, members: tuple[int, ...]) -> Expression:
        """What one loop passes on, the next one is given."""
        if (origin, members) not in self._per_second:
            self._per_second[origin, members] = self._composites(origin, members)
        return self._per_second[origin, members]

    def _composites(self, origin: int, members: tuple[int, ...]) -> Expression:
        """Composites of these windows per second in the loops of the origin.

        alpha is the share whose rows of relations were active at the arrival of all their tuples.
        """
        model, window, tau = self.model, self.model.windows[origin], self.model.timing.evaluate
        if model.graph.twins is not None and len(members) > 1:
            name = rf"\mu_{{{subscript(window.alias)}}}"
            return symbol(name, model.matches(origin, members))
        if origin in members:
            size = self._size(members, model.grows)
            found = (size / self._length(window)).valued(size.value * window.per_second)
        else:
            often = rate(window)
            if tau is not None:
                # No loop runs where an evaluation finds nothing new: p is how often it does.
                often = (_chance(window) or number(1)) / symbol(r"\tau", tau)
            found = often * self._size(members, model.timing.expire is not None)
        active = model.active(origin, members)
        return found if active == 1 else symbol(r"\alpha", active) * found

    def _scanned(self, probe: Probe, looked_up: bool) -> Expression | None:
        """What one composite examines; None where that is one tuple, the one that arrived."""
        model, target, tau = (
            self.model,
            self.model.windows[probe.target],
            self.model.timing.evaluate,
        )
        if probe.target == probe.origin:
            if tau is None:
                return None
            new, chance = rate(target) * symbol(r"\tau", tau), _chance(target)
            return new / chance if chance and chance.value else new
        if model.graph.twins is not None and target.access == "hash":
            return symbol("s", model.scanned(probe.origin, probe.joined, probe.target))
        held = self._examined[probe.target]
        if model.varies and probe.origin not in probe.joined:
            # Not the plain mean: longer where there are more composites to go through it.
            met = model.met(probe.origin, probe.joined, probe.target)
            held = symbol(rf"\overline{{{held.symbols}}}", met)
        return held * self._bucket(probe) if looked_up else held

    def _bucket(self, probe: Probe) -> Expression:
        """The share of the target's window in the bucket that is looked up."""
        model, name = self.model, subscript(self.model.aliases[probe.target])
        share = rf"\sum_{{r < b_{{{name}}}}} \frac{{m_r}}{{m}} \frac{{v_r}}{{v_{{{name}}}}}"
        if model.windows[probe.target].buckets == "per-value":
            share = rf"\frac{{1}}{{\max(m, v_{{{name}}})}}"
            known = model.graph.linking(probe.joined, probe.target)
            if self._skewed or (known is not None and known.declared is not None):
                share = r"\sigma"
        return symbol(share, model.fraction(probe.joined, probe.target))

    def _length(self, window: JoinWindow) -> Expression:
        """T, as long as the windows of results are in this model."""
        if not self.model.grows:
            return stay(window)
        extra = examined_extra(self.model.timing)
        return (stay(window, extra.value) + extra).valued(window.seconds)

    def _size(self, members: tuple[int, ...], grown: bool) -> Expression:
        """phi: how many composites these windows hold, with a hat where as a scan finds them."""
        names = ",".join(subscript(self.model.aliases[place]) for place in members)
        phi = rf"\hat\phi_{{{names}}}" if grown else rf"\phi_{{{names}}}"
        return self._held(members, grown).named(phi)

    def _held(self, members: tuple[int, ...], grown: bool) -> Expression:
        model, windows = self.model, self._examined if grown else self._stated
        held = product(windows[place] for place in members)
        if grown and model.varies:
            # All windows grow until they are expired, so the mean of the product counts.
            held = symbol(rf"\overline{{{held.symbols}}}", model.stored(members))
        if len(members) == 1:
            return held
        share = model.graph.share(members)
        if not all(place in self._distinct for place in members):
            # On a join graph the share of combinations that match has a factor for each attribute.
            return held * symbol(r"\sigma", share)
        distinct = [self._distinct[place] for place in members]
        least = symbol(r"\min v", min(count.value for count in distinct))
        return (held * least / product(distinct)).valued(held.value * share)


def _chance(window: JoinWindow) -> Expression | None:
    """p: how often an evaluation finds new tuples; None where it always does."""
    name = rf"p_{{{subscript(window.alias)}}}"
    return symbol(name, window.active) if window.active < 1 else None
