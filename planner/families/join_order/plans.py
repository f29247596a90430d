"""Join orders as plans: the operators of a global order, and its label read back."""

from __future__ import annotations

from collections.abc import Sequence

from planner.errors import PlanError
from planner.families.join_order.model import JoinModel, JoinWindow
from planner.plan import Operator, Plan
from planner.wording import shortened

NAME = "join_order"


def pipeline(order: Sequence[int], origin: int) -> tuple[int, ...]:
    """The streams a tuple of `origin` probes, in turn: the others, in the global order."""
    return tuple(place for place in order if place != origin)


class PlanBuilder:
    """Builds the plans of one join. Orders that begin alike share operators, made once."""

    def __init__(self, model: JoinModel) -> None:
        self._model = model
        self._arrivals = [_arrive(window) for window in model.windows]
        pairs = zip(model.windows, self._arrivals, strict=True)
        self._kept = [_keep(window, arrive) for window, arrive in pairs]
        self._ends: dict[tuple[int, tuple[int, ...]], Operator] = {}

    def plan(self, order: Sequence[int]) -> Plan:
        """The plan of a global order: for each origin, in FROM order, a pipeline of probes."""
        origins = range(len(self._model.windows))
        ends = tuple(self._end(origin, pipeline(order, origin)) for origin in origins)
        output = Operator("output", (("query", self._model.query),), ends)
        return Plan(NAME, self._model.label(order), (output,))

    def _end(self, origin: int, targets: tuple[int, ...]) -> Operator:
        """The operator after which a tuple of `origin` has probed all these streams."""
        if not targets:
            return self._arrivals[origin]
        found = self._ends.get((origin, targets))
        if found is None:
            windows, target = self._model.windows, targets[-1]
            before = self._end(origin, targets[:-1])
            kept = self._kept[target]
            found = _probe(windows[origin], len(targets), windows[target], before, kept)
            self._ends[origin, targets] = found
        return found


def order_of(model: JoinModel, label: str) -> tuple[int, ...]:
    """The global order that a label names; a PlanError that says what labels look like."""
    places = {window.alias: place for place, window in enumerate(model.windows)}
    named = [part.strip() for part in label.split(",")]
    if sorted(named) != sorted(places):
        raise PlanError(
            f"no plan {shortened(label)!r}; a label names every alias once, in the order of the "
            f"loops, such as {shortened(','.join(places), 200)}",
            NAME,
        )
    return tuple(places[alias] for alias in named)


def _arrive(window: JoinWindow) -> Operator:
    return Operator("arrive", (("source", window.alias), ("stream", window.stream)))


def _keep(window: JoinWindow, arrive: Operator) -> Operator:
    """The operators that hold a window: insert, then expire."""
    params = (
        ("source", window.alias),
        ("window", window.text),
        ("access", window.access),
        ("buckets", window.buckets),
    )
    insert = Operator("insert", params, (arrive,))
    return Operator("expire", (("source", window.alias), ("when", "eager")), (insert,))


def _probe(
    origin: JoinWindow, step: int, target: JoinWindow, reached: Operator, kept: Operator
) -> Operator:
    params = (
        ("origin", origin.alias),
        ("step", step),
        ("source", target.alias),
        ("access", target.access),
        ("buckets", target.buckets),
    )
    return Operator("probe", params, (reached, kept))
