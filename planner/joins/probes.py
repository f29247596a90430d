"""Where each probe of a plan stands: whose loops it is in and what they have joined so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planner.joins.model import JoinModel
from planner.plan import Operator


@dataclass(frozen=True, slots=True)
class Probe:
    """Where a probe stands: whose loops it is in, what they have joined so far, what it probes."""

    origin: int
    joined: tuple[int, ...]
    target: int

    @property
    def reached(self) -> tuple[int, ...]:
        """What is joined once the probe is done."""
        return (*self.joined, self.target)


def probes_of(operators: Iterable[Operator], model: JoinModel) -> dict[str, Probe]:
    """The probes among a plan's operators by id, read off the operators that feed them."""
    places = {alias: place for place, alias in enumerate(model.aliases)}
    probes: dict[str, Probe] = {}
    for operator in operators:
        if operator.kind != "probe":
            continue
        first = operator.inputs[0]
        before = probes.get(first.id)
        joined = before.reached if before else (places[str(first.param("source"))],)
        origin = places[str(operator.param("origin"))]
        probes[operator.id] = Probe(origin, joined, places[str(operator.param("source"))])
    return probes
