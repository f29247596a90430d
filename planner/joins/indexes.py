"""The indexes that probes look into: one for each attribute that some probe looks up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from planner.joins.graph import Key
from planner.joins.model import JoinModel
from planner.joins.probes import Probe
from planner.plan import Param

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
