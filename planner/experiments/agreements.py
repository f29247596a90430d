"""What papers say about a model beside what was measured: checks of both."""

from __future__ import annotations

from itertools import combinations

from planner.experiments.comparison import SAME, place_text
from planner.experiments.experiment import Finding, Values

# "Almost all the time."
_MOSTLY = 0.95
# The ratio of measured to predicted differs by less over all points: curves of one shape.
_ONE_SHAPE = 1.25


def ranked_alike(predicted: Values, measured: Values) -> Finding:
    """Curves stand in the same order at almost every place; those within 5% in either."""
    pairs, apart = 0, []
    for first, second in combinations(predicted, 2):
        for x in predicted[first]:
            if x not in predicted[second]:
                continue
            pairs += 1
            order = _order(predicted[first][x], predicted[second][x])
            found = _order(measured[first][x], measured[second][x])
            if order * found < 0:
                apart.append(f"{first} and {second} at {place_text(x)}")
    text = f"{pairs - len(apart)} of {pairs} pairs of plans in the same order"
    if apart:
        text += f"; not {apart[0]}" + (f" and {len(apart) - 1} more" if len(apart) > 1 else "")
    return Finding(len(apart) <= (1 - _MOSTLY) * pairs, text)


def shaped_alike(predicted: Values, measured: Values) -> Finding:
    """Up to one factor for all, what was measured is what was predicted."""
    ratios = {
        (curve, x): measured[curve][x] / value
        for curve, by_place in predicted.items()
        for x, value in by_place.items()
        if x in measured[curve]
    }
    (low, least), (high, most) = (
        chosen(ratios.items(), key=lambda item: item[1]) for chosen in (min, max)
    )
    text = (
        f"measured {least:.3g} times the predicted at least ({low[0]} at {place_text(low[1])}), "
        f"{most:.3g} times at most ({high[0]} at {place_text(high[1])})"
    )
    return Finding(most / least <= _ONE_SHAPE, text)


def _order(first: float, second: float) -> int:
    """Which of the two is larger; 0 where they are the same but for noise."""
    if max(first, second) <= (1 + SAME) * min(first, second):
        return 0
    return 1 if first > second else -1
