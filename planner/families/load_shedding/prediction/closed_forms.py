"""What a policy keeps, in closed form: everything, by chance, or by a threshold of importance.

How many tuples of some kind are stored is a loss system: they come at random, stay for a window,
and at most k find a place. If whoever is lost had all its life before it, the number stored is that
of the window given that it is at most k (the formulas of Erlang and Engset). If it was the oldest,
it is the lesser of k and that number. A victim by chance has half its life left: midway between. By
importance, tuples of at least some level lose only against each other, and mostly new ones: the
first formula gives how many of them are stored, and differences between levels how many of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.families.load_shedding.labels import IMPORTANCE, RANDOM
from planner.families.load_shedding.model import ShedModel
from planner.families.load_shedding.prediction.result_worth import ArmValues, Kept, levels_of
from planner.joins.arrays import Floats

# Levels of importance that are worked out; between them, stored tuples are interpolated.
GRID = 129
# Beyond so many places chance no longer matters.
MOST_PLACES = 100_000
_HALVINGS = 80


@dataclass(frozen=True, slots=True)
class KeptArm:
    """What an arm keeps of the tuples that are given to it: how many are `held`, and at an arrival
    that comes with `ticking` others, which share of older ones, by importance. Where it is known,
    the shares that are admitted, at whose arrival one goes, and that expire."""

    held: float
    of_older: Callable[[float, float], Kept]
    admitted: float | None = None
    crowded: float | None = None
    expired: float | None = None


def has_closed_form(model: ShedModel) -> bool:
    """Whether arrivals and relation fit: bursts and rows that come and go do not."""
    return not model.is_changing and all(s.arrivals.kind != "pareto" for s in model.streams)


def kept_arm(model: ShedModel, policy: str, place: int, own: ArmValues, share: int) -> KeptArm:
    """What an arm keeps under this policy and share."""
    prefilter = model.workload.execution.shedding.prefilter
    passing = model.matching[place] if prefilter else 1.0
    rate = model.rates[place] * passing
    if policy == RANDOM:
        return _by_chance(model, place, rate, share)
    assert policy == IMPORTANCE, "others have no closed form"
    chance = None
    if prefilter and own.arm.joined is not None:
        chance = model.chance_of_row(own.arm)[1]
    return _by_importance(model, place, rate, share, levels_of(own, chance))


def _by_chance(model: ShedModel, place: int, rate: float, share: int) -> KeptArm:
    """Each arrival that finds no place drops one of all, itself included."""
    window = rate * model.lifetimes[place]
    low, high = (_held(model, place, rate, share, oldest) for oldest in (False, True))
    held = (low + high) / 2
    survives = survival(held, window)
    expired = survives**window if window else 1.0
    crowded = 1 - expired
    admitted = 1 - crowded / (share + 1)

    def of_older(ticking: float, older: float) -> Kept:
        # Those that come with the arrival are stored after it has looked.
        fresh = ticking * rate / model.rates[place] * admitted if model.rates[place] else 0.0
        there = older * rate / model.rates[place] if model.rates[place] else 0.0
        kept = max(0.0, held - fresh) / there if there else 0.0
        return lambda importance: np.full(len(importance), min(1.0, kept))

    return KeptArm(held, of_older, admitted, crowded, expired)


def survival(held: float, window: float) -> float:
    """The chance r to survive one arrival, such that r + r^2 + ... over a window is what is held.

    >>> r = survival(10.0, 50.0)
    >>> round(r * (1 - r**50) / (1 - r), 6)
    10.0
    """
    if held >= window:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        whole = middle * (1 - middle**window) / (1 - middle) if middle < 1 else window
        low, high = (middle, high) if whole < held else (low, middle)
    return low


def _by_importance(
    model: ShedModel, place: int, rate: float, share: int, levels: tuple[Floats, Floats]
) -> KeptArm:
    """The most important stay: what is held of each level is what those above it leave."""
    values, shares = levels
    window = rate * model.lifetimes[place]
    at_least = np.concatenate(([0.0], np.minimum(1.0, np.cumsum(shares))))
    grid = at_least if len(at_least) <= GRID else np.linspace(0.0, 1.0, GRID)
    of_grid = np.array([_held(model, place, part * rate, share, oldest=False) for part in grid])
    full = np.array([_full(model, place, part * rate, share) for part in grid])
    held = np.interp(at_least, grid, of_grid)
    # A tuple is not admitted where the memory is full of more important ones.
    admitted = 1 - np.interp(at_least[:-1], grid, full)
    with np.errstate(invalid="ignore", divide="ignore"):
        per_level = np.where(shares > 0, np.diff(held) / shares, 0.0)

    def of_older(ticking: float, older: float) -> Kept:
        passing = rate / model.rates[place] if model.rates[place] else 0.0
        there = older * passing
        kept = np.maximum(0.0, per_level - ticking * passing * admitted)
        kept = np.minimum(1.0, kept / there) if there else np.zeros(len(kept))
        return lambda importance: kept[np.searchsorted(-values, -np.asarray(importance))]

    return KeptArm(min(float(held[-1]), window), of_older)


def _held(model: ShedModel, place: int, rate: float, share: int, oldest: bool) -> float:
    """How many of the tuples that come at this rate are stored on average, in `share` places."""
    window = rate * model.lifetimes[place]
    if share > MOST_PLACES or not window or not share:
        return min(window, float(share))
    chances, rest = _numbers(model, place, rate, share)
    numbers = np.arange(share + 1)
    if oldest:
        return float(numbers @ chances + share * rest)
    whole = chances.sum()
    return float(numbers @ chances / whole) if whole > 1e-280 else float(share)


def _full(model: ShedModel, place: int, rate: float, share: int) -> float:
    """The chance that tuples which come at this rate take all places."""
    window = rate * model.lifetimes[place]
    if not share:
        return 1.0
    if share > MOST_PLACES or not window:
        return float(window > share)
    chances, _ = _numbers(model, place, rate, share)
    whole = chances.sum()
    return float(chances[-1] / whole) if whole > 1e-280 else 1.0


def _numbers(model: ShedModel, place: int, rate: float, most: int) -> tuple[Floats, float]:
    """The chances that a window holds 0, 1 and so on up to `most` of the tuples that come at this
    rate, and that it holds more: of regular arrivals each may be one, others come by themselves."""
    stream, lifetime = model.streams[place], model.lifetimes[place]
    numbers = np.arange(1, most + 1, dtype=np.float64)
    if stream.arrivals.kind == "regular":
        arriving = stream.rate or 0.0
        count, part = max(1, round(arriving * lifetime)), min(1.0, rate / arriving)
        if part >= 1:
            chances = np.zeros(most + 1)
            if count <= most:
                chances[count] = 1.0
            return chances, float(count > most)
        left = np.maximum(0.0, count - numbers + 1)
        with np.errstate(divide="ignore"):
            steps = np.log(left) - np.log(numbers) + np.log(part) - np.log1p(-part)
        none = count * np.log1p(-part)
    else:
        steps = np.log(rate * lifetime) - np.log(numbers)
        none = -rate * lifetime
    chances = np.exp(none + np.concatenate(([0.0], np.cumsum(steps))))
    return chances, max(0.0, 1 - float(chances.sum()))
