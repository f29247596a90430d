"""The statistics of values that follow from a sketch: of keys, of pairs and of filters."""

from __future__ import annotations

from itertools import combinations
from math import sqrt

import numpy as np

from planner.statistics.observed import KeyStatistics, Likely, ValueStatistics, pair_name
from planner.statistics.sketch_estimates import (
    KeyCounts,
    compared_pairs,
    different,
    equal_pairs,
    share_passed,
    statistics_of,
)
from runtime.engines.kernels.sketches import NOTHING, UNTAKEN
from runtime.engines.watching.sketch_plan import SketchPlan
from runtime.engines.watching.sketched import Sketch


def values_of(plan: SketchPlan, sketch: Sketch) -> ValueStatistics:
    """What the tuples of a sketch say of their values."""
    keys, equal = _keys(plan, sketch)
    compared = {
        pair.condition: share
        for pair in plan.pairs
        if (
            share := compared_pairs(
                _sample(sketch, pair.left),
                pair.comparison,
                _sample(sketch, pair.right),
                pair.offset,
            )
        )
    }
    filters = {
        known.condition: share_passed(float(passed), float(of))
        for known, (of, passed) in zip(plan.filters, sketch.filtered, strict=True)
        if of
    }
    return ValueStatistics(keys, equal | compared, filters)


def burst_of(sketch: Sketch, place: int) -> tuple[float, float]:
    """How many tuples of a source come together, and the standard deviation of that."""
    tuples = int(sketch.taken[place])
    instants, spread = different(sketch.times[place], NOTHING)
    if not instants:
        return 1.0, 0.0
    burst = max(1.0, tuples / instants)
    # Bursts of geometric sizes: what is not known of their spread is taken from their mean.
    return burst, burst * sqrt((spread / instants) ** 2 + (1 - 1 / burst) / instants)


def _sample(sketch: Sketch, number: int) -> np.ndarray:
    return sketch.samples[number][sketch.hashes[number] < UNTAKEN]


def _keys(
    plan: SketchPlan, sketch: Sketch
) -> tuple[dict[str, dict[str, KeyStatistics]], dict[str, Likely]]:
    """The statistics of keys by stream and attribute, and the equal pairs."""
    rows = plan.row_of()
    columns = [
        (
            column,
            KeyCounts.exact_of(sketch.counters[n])
            if rows[n] < 0
            else KeyCounts.hashed(sketch.counters[n], sketch.values[rows[n]], NOTHING),
        )
        for n, column in enumerate(plan.columns)
    ]
    by_stream: dict[str, dict[str, KeyStatistics]] = {}
    for column, counts in columns:
        found = by_stream.setdefault(column.stream, {})
        if column.attribute not in found and (known := statistics_of(counts)) is not None:
            found[column.attribute] = known
    pairs: dict[str, Likely] = {}
    for (left, counts), (right, others) in combinations(columns, 2):
        if left.group == right.group and left.stream != right.stream:
            equal = equal_pairs(counts, others)
            if equal is not None:
                name = pair_name((left.stream, left.attribute), (right.stream, right.attribute))
                pairs.setdefault(name, equal)
    return by_stream, pairs
