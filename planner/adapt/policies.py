"""Policies: when a run that adapts changes its plan.

Each is given one situation, which is all that it knows, and says in a few words why it switches, or
nothing. To add one, write its function, list it here and name it in `planner/workload/adapt.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

from planner.numbers import duration, figure, percent_more
from planner.plan.objective import Objective
from planner.workload.adapt import Adapt, PolicyName

# The last bits of a sum must not change a plan.
_NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known between two batches: the rates, and those when plans were last compared; the
    scores of the running plan and of the best one by all that was seen, the work of moving to it,
    and what has changed most since the last switch, in words."""

    rates: Mapping[str, float]
    planned: Mapping[str, float]
    current: float
    best: float
    moving: float
    by: Objective
    cause: str = ""

    @property
    def is_better(self) -> bool:
        """Whether another plan is better at all."""
        return not self.by.within(self.current, self.best, 1 + _NOISE)

    @property
    def saving(self) -> float:
        """How much better the best plan is than the running one."""
        return abs(self.current - self.best)


# Whether it compares plans now, and why it switches to the best one; None where it stays.
Policy = Callable[[Situation, Adapt], str | None]


def never(_: Situation, _settings: Adapt) -> str | None:
    """The first plan for ever."""
    return None


def threshold(now: Situation, settings: Adapt) -> str | None:
    """Golab and Özsu 2003, Section 5.4: plan again when a rate has changed beyond a threshold."""
    stream = moved_beyond(now, settings.threshold)
    if stream is None or not now.is_better:
        return None
    before, after = figure(now.planned[stream]), figure(now.rates[stream])
    return f"the rate of {stream} went from {before} to {after} tuples/s; {_ahead(now)}"


def regret(now: Situation, settings: Adapt) -> str | None:
    """Switch where that saves more within the horizon than it costs, and more than the margin."""
    margin = settings.margin * max(abs(now.current), abs(now.best))
    if not now.is_better or now.saving <= margin:
        return None
    if not now.by.unit.endswith("/s"):
        # Delays and importance are not weighed against work.
        cost = f", and moving costs {figure(now.moving)} operations" if now.moving else ""
        return f"{_why(now)}{cost}"
    saved = now.saving * settings.horizon
    if saved <= now.moving:
        return None
    cost = f" and costs {figure(now.moving)}" if now.moving else " and costs nothing"
    unit = now.by.unit.removesuffix("/s")
    return f"{_why(now)}: it saves {figure(saved)} {unit} in {duration(settings.horizon)}{cost}"


def always(now: Situation, _: Adapt) -> str | None:
    """The best plan at every batch, whatever a switch costs."""
    return _why(now) if now.is_better else None


POLICIES: dict[PolicyName, Policy] = {
    "never": never,
    "threshold": threshold,
    "regret": regret,
    "always": always,
}


def moved_beyond(now: Situation, limit: float) -> str | None:
    """The first stream whose rate is more than so much above or below the one planned with."""
    for stream, rate in now.rates.items():
        low, high = sorted((rate, now.planned[stream]))
        if (high / low if low else inf if high else 1.0) > 1 + limit:
            return stream
    return None


def _why(now: Situation) -> str:
    """What has changed, and how the new plan compares then."""
    return f"{now.cause}; {_ahead(now)}" if now.cause else _ahead(now)


def _ahead(now: Situation) -> str:
    """How the new plan compares with the running one."""
    larger, smaller = now.by.sides(now.current, now.best)
    if larger < 1.1 * smaller:
        word = (now.by.worse or "more") if now.by.is_lowest else "less"
        return f"the old plan has {percent_more(larger, smaller)} {word} {now.by.title.lower()}"
    ahead = now.by.ahead(now.best, now.current)
    if now.by.is_lowest:
        return f"the new plan is {ahead} now"
    return f"the new plan gives {ahead} {now.by.title.lower()}"
