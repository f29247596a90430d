"""What every operator of a shedding plan should cost per second of stream time, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from planner.families.load_shedding.labels import EXACT
from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.plans import BuiltShedding
from planner.families.load_shedding.prediction.flows import ArmFlow, SheddingPrediction
from planner.families.load_shedding.prediction.predictions import SheddingPredictions
from planner.joins.keys import looked_up
from planner.plan.cost import Cost, Estimate, Formula, Formulas, Quality
from planner.plan.expression import Expression, number, subscript, symbol, total
from planner.plan.plan import Operator, Plan
from planner.seconds.kernel_work import KernelWork, Work

COUNTED = "one count per tuple, row or condition"
EXPECTED = "expected counts over the declared distributions"


def estimated(built: BuiltShedding, predictions: SheddingPredictions) -> Estimate:
    """The costs, formulas and the answer's quality of a plan."""
    prediction = predictions.of(built.plan.label)
    pricing = _SheddingFormulas(built, predictions, prediction)
    priced = {op.id: tuple(pricing.formulas(op)) for op in built.plan.operators()}
    formulas = Formulas(priced)
    (root,) = built.plan.roots
    quality = Quality(recall=prediction.recall, importance=prediction.importance)
    return Estimate(formulas.costs(), {str(root.param("query")): quality}, formulas)


class _SheddingFormulas:
    """The formulas of one plan's operators."""

    def __init__(
        self, built: BuiltShedding, predictions: SheddingPredictions, prediction: SheddingPrediction
    ) -> None:
        self._built, self._predictions = built, predictions
        self._prediction = prediction
        self._model: ShedModel = predictions.model

    def formulas(self, operator: Operator) -> Iterator[Formula]:
        """One formula for each part of the operator's cost."""
        match operator.kind:
            case "table":
                yield from self._table()
            case "output":
                places = range(len(self._model.star.arms))
                found = total(self._found(place) for place in places)
                yield Formula("rows_out", found, self._answer_model())
            case kind:
                place = self._built.arms[operator.id]
                of_arm = {
                    "arrive": self._arrive,
                    "filter": self._filter,
                    "lookup": self._lookup,
                    "keep": self._keep,
                    "probe": self._probe,
                }
                yield from of_arm[kind](place)

    # --- what every policy does alike ------------------------------------------------------------

    def _arrive(self, place: int) -> Iterator[Formula]:
        window = self._model.windows[place]
        arriving = symbol(rf"\lambda^0_{{{self._name(place)}}}", window.arrivals)
        yield Formula("rows_out", arriving, COUNTED)

    def _filter(self, place: int) -> Iterator[Formula]:
        """Each condition is evaluated for the tuples that passed those before it."""
        window = self._model.windows[place]
        looks = [symbol(r"\lambda^0" if not n else r"\lambda^0 \sigma", step.reached)
                 for n, step in enumerate(window.filters)]  # fmt: skip
        yield Formula("comparisons", total(looks), COUNTED)
        yield Formula("rows_out", self._passing(place), COUNTED)

    def _table(self) -> Iterator[Formula]:
        """Rows are held; those that come and go are counted as they do."""
        relation_place = self._model.star.relation_place
        assert relation_place is not None, "only a relation is a table"
        window = self._model.join.windows[relation_place]
        name = subscript(window.alias)
        yield Formula("state_tuples", symbol(rf"R_{{{name}}}", window.tuples), EXPECTED)
        if window.inserts:
            coming = symbol(rf"\Delta^+_{{{name}}}", window.inserts)
            yield Formula("inserts", coming, COUNTED)
            yield Formula("rows_out", coming, COUNTED)
        if window.deletes:
            leaving = symbol(rf"\Delta^-_{{{name}}}", window.deletes)
            yield Formula("expirations", leaving, COUNTED)

    def _lookup(self, place: int) -> Iterator[Formula]:
        """Rows that are examined: by the access method all, those of a bucket, or those found."""
        arm, rows = self._model.star.arms[place], symbol("R", self._model.rows)
        arriving, found = self._passing(place), symbol("n", self._model.found(arm))
        match arm.access:
            case "scan":
                examined = arriving * rows
            case "search":
                steps = math.ceil(math.log2(self._model.rows + 1))
                examined = arriving * (symbol(r"\lceil \log_2 (R + 1) \rceil", steps) + found)
            case "hash":
                examined = arriving * rows * symbol(r"\beta", self._bucket(place))
            case _:
                examined = arriving * found
        yield Formula("comparisons", examined, EXPECTED)
        yield Formula("rows_out", self._with_row(place), EXPECTED)

    def _bucket(self, place: int) -> float:
        """The part of the relation that is in the bucket of a tuple's key."""
        model, arm = self._model, self._model.star.arms[place]
        relation_place = model.star.relation_place
        assert relation_place is not None, "only a relation is looked up"
        known = model.join.graph.linking((arm.place,), relation_place)
        assert known is not None, "a star is linked"
        key = known.key(relation_place)
        assert key is not None, "a star is linked"
        buckets = model.star.buckets
        return looked_up(known.spread((arm.place,)), key.spread, buckets, known.declared)

    # --- what depends on the policy --------------------------------------------------------------

    def _keep(self, place: int) -> Iterator[Formula]:
        flow, work = self._flow(place), self._prediction.work_model
        given, share = self._given(place), self._model.star.arms[place].share
        every = total(map(self._passing, range(len(self._model.star.arms))))
        visits = every.short(r"\sum_i \lambda_i")
        if self._sheds_nothing:
            window = symbol(f"T_{{{self._name(place)}}}", self._model.lifetimes[place])
            yield Formula("inserts", given, EXPECTED)
            yield Formula("expirations", visits + given, EXPECTED)
            held = (given * window).valued(flow.held)
            yield Formula("state_tuples", held, EXPECTED)
            return
        if flow.looked_at:
            crowded = symbol(r"\chi", flow.looked_at / (share + 1))
            looked_at = given * crowded * number(share + 1)
            yield Formula("comparisons", looked_at, work)
        yield Formula("inserts", given * symbol(r"\alpha", flow.admitted), work)
        leaving = given * symbol(r"\epsilon", flow.expired)
        yield Formula("expirations", visits + leaving, work)
        held = symbol(f"H_{{{self._name(place)}}}", flow.held)
        yield Formula("state_tuples", held, self._answer_model())

    def _probe(self, place: int) -> Iterator[Formula]:
        """Every arrival with a row looks at each stored tuple of the other arms once."""
        flow = self._flow(place)
        if len(self._model.star.arms) > 1:
            examined = self._with_row(place) * symbol(r"H_{\mathrm{others}}", flow.examined)
            yield Formula("comparisons", examined, self._answer_model())
        yield Formula("rows_out", self._found(place), self._answer_model())

    def _found(self, place: int) -> Expression:
        """Results that the arrivals of an arm complete."""
        exact = symbol(rf"\rho_{{{self._name(place)}}}", self._model.exact[place])
        if self._sheds_nothing:
            return exact
        return exact * symbol(rf"\phi_{{{self._name(place)}}}", self._flow(place).found)

    @property
    def _sheds_nothing(self) -> bool:
        shedless = self._predictions.without_shedding
        return self._built.plan.label == EXACT or shedless is not None

    def _answer_model(self) -> str:
        return EXPECTED if self._sheds_nothing else self._prediction.model

    def _flow(self, place: int) -> ArmFlow:
        return self._prediction.arms[place]

    # --- rates -----------------------------------------------------------------------------------

    def _name(self, place: int) -> str:
        return subscript(self._model.star.arms[place].source.alias)

    def _passing(self, place: int) -> Expression:
        """Tuples of an arm that pass its conditions."""
        return symbol(rf"\lambda_{{{self._name(place)}}}", self._model.rates[place])

    def _with_row(self, place: int) -> Expression:
        """Those of them that have an active row."""
        share = self._model.matching[place]
        return self._passing(place) if share == 1 else self._passing(place) * symbol("p", share)

    def _given(self, place: int) -> Expression:
        """Those of them that may be kept."""
        prefilter = self._model.workload.execution.shedding.prefilter
        return self._with_row(place) if prefilter else self._passing(place)


# Operators under the kinds of work that a kernel is calibrated by.
_WITH_ACCESS = ("lookup",)


def shedding_work(plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
    """The work of a plan: a lookup by how rows are found, who is kept, and who is met."""
    found, held = [], 0.0
    for operator in plan.operators():
        cost, kind = costs[operator.id], f"shed {operator.kind}"
        if operator.kind in _WITH_ACCESS:
            kind = f"{kind} {operator.param('access')}"
        given = 0.0
        if operator.kind in ("lookup", "keep", "probe"):
            given = costs[operator.inputs[0].id].rows_out
        if operator.kind in ("keep", "table"):
            held += cost.state_tuples
        found.append(Work(kind, cost, given))
    return KernelWork("shed", tuple(found), Work("shed batch", Cost(rows_out=1.0), held))
