"""The axes of the landscape: where ranks and scores are between 0 and 1, and round ticks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from pages.parts.shared.figures import log_axis, short_number

# From so many plans on, ranks are logarithmic: the best plans get more room.
LOG_RANKS = 100
# From this ratio of the highest score to the lowest on, scores are logarithmic.
LOG_SCORES = 3.0


@dataclass(frozen=True, slots=True)
class LandscapeAxis:
    """`place` puts a value between 0 and 1; ticks are places with their texts."""

    place: Callable[[float], float]
    ticks: tuple[tuple[float, str], ...]


def rank_axis(count: int) -> LandscapeAxis:
    """The ranks from 1 to `count`."""
    if count <= LOG_RANKS:
        ticks = sorted({1, *range(_step(count), count + 1, _step(count))})
        return _axis(float, 1.0, float(max(count, 2)), [(tick, str(tick)) for tick in ticks])
    powers = [10**power for power in range(floor(log10(count)) + 1)]
    return _axis(log10, 1.0, float(count), [(tick, short_number(tick)) for tick in powers])


def score_axis(values: Sequence[float]) -> LandscapeAxis:
    """Scores from below the lowest to above the highest; both ends are round."""
    low, high = min(values), max(values)
    if low > 0 and high >= LOG_SCORES * low:
        found = log_axis(low, high)
        ticks = list(zip(found["tickvals"], found["ticktext"], strict=True))
        return _axis(log10, ticks[0][0], ticks[-1][0], ticks)
    span = high - low or abs(high) or 1.0
    # Rounding makes equal scores differ in their last digits: that is no range.
    step = _round_step(max(span, 1e-6 * abs(high)) / 3)
    first, last = floor(low / step), ceil(high / step)
    last += first == last
    marked = [place * step for place in range(first, last + 1)]
    return _axis(float, marked[0], marked[-1], [(tick, short_number(tick)) for tick in marked])


def _axis(
    scale: Callable[[float], float], first: float, last: float, ticks: list[tuple[float, str]]
) -> LandscapeAxis:
    low, high = scale(first), scale(last)

    def place(value: float) -> float:
        return round((scale(value) - low) / (high - low), 4)

    return LandscapeAxis(place, tuple((place(value), text) for value, text in ticks))


def _step(count: int) -> int:
    return max(1, int(_round_step(count / 6)))


def _round_step(about: float) -> float:
    """The round number above this one: 1, 2 or 5 times a power of ten."""
    power: float = 10.0 ** floor(log10(about))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= 0.9999 * about)
