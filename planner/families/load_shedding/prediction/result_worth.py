"""What results are worth on average: the least importance of their members, by distributions.

The mean of the least of some values is the integral of the chance that all of them are larger. A
row of the relation has its attributes independently, so that this chance is a product over the
attributes that streams are joined with; streams of one attribute share its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planner.families.load_shedding.model import MOST_VALUES, ShedModel
from planner.families.load_shedding.star import Arm
from planner.joins.arrays import Floats
from planner.statistics.distributions import Distribution, declared_distribution
from planner.statistics.selectivity import attribute_of
from planner.workload.query import Column
from planner.workload.streams import Attribute, ImportanceOf

# Which share of the tuples of an importance is still kept.
Kept = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class ArmImportance:
    """The importance of an arm's tuples: the values it has and how often, or one for each key."""

    values: Floats
    shares: Floats
    of_key: bool


@dataclass(frozen=True, slots=True)
class ArmValues:
    """The keys of an arm with their shares, and the importance that goes with them."""

    arm: Arm
    keys: Distribution
    importance: ArmImportance


@dataclass(frozen=True, slots=True)
class Worth:
    """Of all combinations of tuples: the share that are results, and their mean importance."""

    share: float
    mean: float


def arm_values(model: ShedModel) -> tuple[ArmValues, ...] | None:
    """The values of all arms; None where there are too many, or importance is no number."""
    found = []
    for arm in model.star.arms:
        own = _importance(model, arm) if model.has_few_values(arm) else None
        if own is None:
            return None
        found.append(ArmValues(arm, model.values(arm.key), own))
    return tuple(found)


def _importance(model: ShedModel, arm: Arm) -> ArmImportance | None:
    if arm.importance is None:
        return ArmImportance(np.ones(1), np.ones(1), of_key=False)
    column = Column(arm.source.alias, arm.importance)
    attribute = attribute_of(model.workload, model.query, column)
    spec = attribute.importance_of
    source = column if spec is None else Column(column.alias, spec.attribute)
    behind = attribute_of(model.workload, model.query, source)
    if behind.missing or (behind.distinct or 0) > MOST_VALUES:
        return None
    if spec is None and attribute.type == "string":
        return None
    spread = model.values(source)
    values = spread.values.astype(np.float64) if spec is None else _ranked(spec, behind, spread)
    if (values <= 0).any():
        return None
    return ArmImportance(values, spread.shares, of_key=source == arm.key)


def _ranked(spec: ImportanceOf, behind: Attribute, spread: Distribution) -> Floats:
    """Rare values count most: by their rank, from `most` / distinct up to `most`."""
    every = declared_distribution(behind)
    count = len(every.values)
    if behind.values:
        rank = {value: place for place, value in enumerate(behind.values, 1)}
        ranks = np.array([rank[value] for value in spread.values.tolist()], np.float64)
    elif behind.type == "string":
        ranks = np.array([float(str(value)[1:]) for value in spread.values.tolist()])
    else:
        ranks = spread.values.astype(np.float64)
    return np.asarray(spec.most * ranks / count)


def worth_of(
    model: ShedModel, arms: Sequence[ArmValues], kept: Sequence[Kept | None] | None = None
) -> Worth:
    """What combinations of one tuple of each arm are worth, if `kept` shares of them are there."""
    keep = kept or [None] * len(arms)
    levels = np.unique(np.concatenate([[0.0], *(own.importance.values for own in arms)]))
    above = np.ones(len(levels))
    groups: dict[Column | None, list[int]] = {}
    for place, own in enumerate(arms):
        groups.setdefault(own.arm.joined, []).append(place)
    for joined, places in groups.items():
        above *= _above(model, joined, [(arms[p], keep[p]) for p in places], levels)
    rows = model.rows if model.star.relation is not None else 1.0
    # Between two levels the chance that all are larger is that at the lower one.
    whole = float((above[:-1] * np.diff(levels)).sum())
    return Worth(rows * float(above[0]), whole / float(above[0]) if above[0] else 0.0)


def _above(
    model: ShedModel,
    joined: Column | None,
    members: Sequence[tuple[ArmValues, Kept | None]],
    levels: Floats,
) -> Floats:
    """The chance that arms joined on one attribute agree, all more important than each level."""
    first, *others = (own.keys for own, _ in members)
    values = first.values
    for other in others:
        values = values[np.isin(values, other.values)]
    rows = None if joined is None else model.values(joined)
    if rows is not None:
        values = values[np.isin(values, rows.values)]
    weights = np.ones(len(values)) if rows is None else _at(rows, values, rows.shares)
    least = np.full(len(values), np.inf)
    apart = np.ones(len(levels))
    for own, kept in members:
        weights = weights * _at(own.keys, values, own.keys.shares)
        worth = own.importance
        if worth.of_key:
            value = _at(own.keys, values, worth.values)
            least = np.minimum(least, value)
            if kept is not None:
                weights = weights * kept(value)
        else:
            shares = worth.shares / worth.shares.sum()
            if kept is not None:
                shares = shares * kept(worth.values)
            apart = apart * _larger(worth.values, shares, levels)
    return apart * _larger(least, weights, levels)


def _at(known: Distribution, values: np.ndarray, figures: Floats) -> Floats:
    """The figures of these values, which are all there."""
    return np.asarray(figures[np.searchsorted(known.values, values)])


def _larger(values: Floats, weights: Floats, levels: Floats) -> Floats:
    """The weight of the values above each level."""
    order = np.argsort(values)
    below = np.concatenate(([0.0], np.cumsum(weights[order])))
    return np.asarray(below[-1] - below[np.searchsorted(values[order], levels, side="right")])


def levels_of(own: ArmValues, chance: Floats | None) -> tuple[Floats, Floats]:
    """The importance of an arm's tuples, highest first, and the share of each among those that a
    row is there for; `chance` is that by key, None where all are."""
    worth = own.importance
    shares = _parts(own.keys.shares)
    there = np.ones(len(shares)) if chance is None else chance
    if worth.of_key:
        values, weights = worth.values, shares * there
    else:
        values, weights = worth.values, _parts(worth.shares)
    known, at = np.unique(values, return_inverse=True)
    found = np.asarray(np.bincount(at, weights), np.float64)
    return known[::-1], _parts(found)[::-1]


def _parts(weights: Floats) -> Floats:
    """The weights as parts of their sum; nothing has a part where all are missing."""
    whole = float(weights.sum())
    return weights / whole if whole else weights
