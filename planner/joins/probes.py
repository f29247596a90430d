"""Where each probe of a plan stands: whose loops it is in and what they have joined so far."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.joins.graph import Key
from planner.joins.model import JoinModel
from planner.plan.plan import Operator, Param


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


def probes_along(orders: Iterable[tuple[int, Sequence[int]]]) -> Iterator[Probe]:
    """The probes of these loops: an origin, and the order in which sources are joined there."""
    for origin, order in orders:
        for level in range(1, len(order)):
            yield Probe(origin, tuple(order[:level]), order[level])


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


# The attributes on which each window has an index, by place.
Indexes = Mapping[int, tuple[Key, ...]]


def index_used(model: JoinModel, origin: int, joined: Sequence[int], target: int) -> Key | None:
    """The attribute by whose index a loop finds the target's tuples; None where it scans."""
    known = model.graph.linking(joined, target)
    if target == origin or model.windows[target].access == "scan" or known is None:
        return None
    return known.key(target)


def indexes_used(model: JoinModel, probes: Iterable[Probe]) -> Indexes:
    """One index for each attribute that some probe looks up; without one none is kept."""
    used: dict[int, dict[Key, None]] = {place: {} for place in range(len(model.windows))}
    for probe in probes:
        key = index_used(model, probe.origin, probe.joined, probe.target)
        if key is not None:
            used[probe.target][key] = None
    return {place: tuple(keys) for place, keys in used.items()}


def probe_params(
    model: JoinModel,
    origin: int,
    joined: Sequence[int],
    target: int,
    *more: tuple[str, Param],
) -> tuple[tuple[str, Param], ...]:
    """The parameters of a probe operator; what a family adds stands after the source."""
    index = index_used(model, origin, joined, target)
    params: list[tuple[str, Param]] = [
        ("origin", model.aliases[origin]),
        ("step", len(joined)),
        ("source", model.aliases[target]),
        *more,
        ("access", "scan" if index is None else "hash"),
        ("buckets", 1 if index is None else model.windows[target].buckets),
    ]
    if index is not None and len(model.graph.classes) > 1:
        params.append(("on", index.attribute))
    return tuple(params)


# Keys many at a time, a bucket, or tuple by tuple; `checked`: more than the key has to fit.
EACH, SCAN, HASH = "each", "scan", "hash"
SCAN_CHECKED, HASH_CHECKED = "scan checked", "hash checked"
ACCESSES = (EACH, SCAN, HASH, SCAN_CHECKED, HASH_CHECKED)


def access_of(model: JoinModel, origin: int, joined: Collection[int], target: int) -> str:
    """How what is joined goes through the target's tuples: keys only where some are equal."""
    graph = model.graph
    equal = sum(bool(c.key(target) and c.inside(joined)) for c in graph.classes)
    if target == origin or not equal:
        return EACH
    others = any(
        (link.left == target and link.right in joined)
        or (link.right == target and link.left in joined)
        for link in graph.links
    )
    checked = equal > 1 or others
    if model.windows[target].access == "scan":
        return SCAN_CHECKED if checked else SCAN
    return HASH_CHECKED if checked else HASH
