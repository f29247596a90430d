"""The formula behind every predicted figure, in symbols and with the values filled in.

The first formula of a figure is the one it comes from; the paper's own stands beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.probe_formulas import probe_formulas
from planner.families.early_aggregation.set_formulas import output, set_formulas, update_formulas
from planner.families.early_aggregation.symbols import Symbols
from planner.joins.graph import Key
from planner.joins.probes import Probe
from planner.joins.upkeep_formulas import keeping
from planner.plan.cost import Formula
from planner.plan.plan import Operator


class Formulas(Mapping[str, tuple[Formula, ...]]):
    """The formulas of a plan by operator id. Each is written when it is asked for, not before."""

    def __init__(
        self,
        operators: Sequence[Operator],
        probes: Mapping[str, Probe],
        model: AggregationModel,
        mask: int,
        indexes: Mapping[int, tuple[Key, ...]],
    ) -> None:
        self._operators = {operator.id: operator for operator in operators}
        self._probes, self._indexes = probes, indexes
        self._model, self._symbols = model, Symbols(model, mask)

    def __getitem__(self, operator_id: str) -> tuple[Formula, ...]:
        operator, symbols = self._operators[operator_id], self._symbols
        if operator.kind == "probe":
            return tuple(probe_formulas(symbols, self._probes[operator_id]))
        if operator.kind == "update":
            return tuple(update_formulas(symbols, list(self._probes.values())))
        if operator.kind == "output":
            return (output(symbols),)
        place = self._model.join.aliases.index(str(operator.param("source")))
        if operator.kind == "aggregate":
            return tuple(set_formulas(symbols, place))
        return keeping(self._model.join, operator, place, self._indexes[place])

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)
