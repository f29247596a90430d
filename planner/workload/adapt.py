"""Whether a run adapts: which policy decides, how often, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.errors import PlanError
from planner.workload.validation import MAX_SECONDS, listed, not_negative, number

PolicyName = Literal["never", "threshold", "regret", "always"]
POLICIES: tuple[PolicyName, ...] = ("never", "threshold", "regret", "always")
MOST_THRESHOLD = 1e6


@dataclass(frozen=True, slots=True)
class Adapt:
    """How the plan of a run follows its tuples: decided every so many seconds of stream time.

    `every` is worked out from windows and span where it is None. `threshold` is for the policy of
    that name: 0.2 is a rate 1.2x up or down. By `regret` the plan changes where the better one
    should save more within `horizon` seconds than the switch costs, and more than the share
    `margin` of the work.
    """

    policy: PolicyName = "regret"
    every: float | None = None
    horizon: float = 60.0
    threshold: float = 0.2
    margin: float = 0.05

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise PlanError(f"no policy {self.policy!r}; there are {listed(POLICIES)}", "policy")
        if self.every is not None:
            number(self.every, "every", most=MAX_SECONDS)
        number(self.horizon, "horizon", most=MAX_SECONDS)
        not_negative(self.threshold, "threshold", most=MOST_THRESHOLD)
        not_negative(self.margin, "margin", most=1.0)
