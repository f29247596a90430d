"""Taking turns: contenders are run in rounds, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Timed:
    """The best of some rounds, and what the contender returned in the last one."""

    seconds: float
    all_seconds: tuple[float, ...]
    outcome: Any


def in_turns(contenders: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, Timed]:
    """Run every contender once a round; the best time of each counts."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    outcomes: dict[str, Any] = {}
    for _ in range(rounds):
        for name, contender in contenders.items():
            begun = time.perf_counter()
            outcomes[name] = contender()
            seconds[name].append(time.perf_counter() - begun)
    return {
        name: Timed(min(taken), tuple(taken), outcomes[name]) for name, taken in seconds.items()
    }


def rate(tuples: int, timed: Timed) -> float:
    """Tuples per second."""
    return tuples / timed.seconds
