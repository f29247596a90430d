"""Curves compared: ratios, ends and ranges of their values, and how findings word them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from planner.experiments.experiment import Place, Values

# Figures closer than this are the same: runs differ by as much.
SAME = 0.05


def ratios(values: Values, curve: str, other: str) -> dict[Place, float]:
    """How many times the other each figure of the curve is, where both have one."""
    return {x: y / values[other][x] for x, y in values[curve].items() if x in values[other]}


def all_ratios(values: Values, curve: str, others: Sequence[str]) -> dict[tuple[str, Place], float]:
    """How many times each other the curve is, at every place."""
    return {
        (other, x): share for other in others for x, share in ratios(values, curve, other).items()
    }


def extreme(
    pick: Callable[..., Any], values: Values, curve: str, others: Sequence[str]
) -> tuple[float, str]:
    """The largest or smallest of all shares, and where that is."""
    found = all_ratios(values, curve, others)
    other, x = pick(found, key=found.__getitem__)
    share = found[other, x]
    return share, f"{share:.3g} times {other}, at {place_text(x)}"


def ends(found: Mapping[Place, float]) -> tuple[tuple[Place, float], tuple[Place, float]]:
    """The first and the last place with their values."""
    places = list(found.items())
    return places[0], places[-1]


def gain(found: Mapping[Place, float]) -> float:
    """How many times its first value the last one is."""
    (_, first), (_, last) = ends(found)
    return last / first


def bounds(found: Collection[float]) -> tuple[float, float]:
    """The least and the most."""
    return min(found), max(found)


def spread(found: Iterable[float]) -> float:
    """How many times the least the most is."""
    low, high = bounds(list(found))
    return high / low


def mean(found: Collection[float]) -> float:
    """The average."""
    return sum(found) / len(found)


def number_of(place: Place) -> float:
    """A place on a scale."""
    if isinstance(place, str):
        raise TypeError(f"{place!r} is a name, not a place on a scale")
    return place


def place_text(place: Place) -> str:
    """A place as findings name it."""
    return place if isinstance(place, str) else f"{place:g}"


def percent(share: float) -> str:
    """A share as findings word it."""
    return f"{100 * share:.3g}%"


def each(found: Mapping[str, float], words: str = "{} {:.3g} times") -> str:
    """Every name with its value, in these words."""
    return ", ".join(words.format(name, value) for name, value in found.items())
