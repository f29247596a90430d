"""How long the fuzzers try random seeds: a few in `./check`, for an hour in `./check --all`."""

from __future__ import annotations

import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.examples import in_all


class Effort(NamedTuple):
    """How many seeds a fuzzer tries in `./check`, and its share of the hour in `./check --all`."""

    seeds: int
    share: float


EFFORTS = {
    "joins": Effort(12, 0.17),
    "shared joins": Effort(12, 0.13),
    "aggregations": Effort(12, 0.17),
    "bounded joins": Effort(12, 0.13),
    "bounded aggregations": Effort(8, 0.07),
    "changes": Effort(6, 0.11),
    "adapting": Effort(6, 0.11),
    "commands": Effort(10, 0.11),
}
# All fuzzers together, in `./check --all`.
_MINUTES = 60.0


def minutes() -> float | None:
    """For how long all fuzzers try seeds: `SLUICE_FUZZ` says it. None: so many seeds each."""
    given = os.environ.get("SLUICE_FUZZ")
    if given is not None:
        return float(given)
    return _MINUTES if in_all() else None


class Fuzzed(NamedTuple):
    """What a fuzzer did."""

    seeds: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.seeds:,} examples in {self.seconds / 60:.1f} minutes"


def fuzz(name: str, check: Callable[[int], None]) -> Fuzzed:
    """Try seeds one after the other; what some of them raise is raised together in the end."""
    began, tried = time.monotonic(), 0
    failed: dict[tuple[str, object], Exception] = {}
    for seed in _seeds(EFFORTS[name], began):
        tried += 1
        try:
            check(seed)
        except Exception as error:
            error.add_note(f"{name}: seed {seed}")
            failed.setdefault(_kind(error), error)
            _say(f"{name}: seed {seed}: {type(error).__name__}: {error}"[:300])
    done = Fuzzed(tried, time.monotonic() - began)
    if failed:
        raise ExceptionGroup(f"{name}: {len(failed)} faults, {done}", [*failed.values()])
    return done


def _say(line: str) -> None:
    """Where no test looks for what a command printed: the next seed's would not be its own."""
    print(line, file=sys.__stderr__, flush=True)


def _kind(error: Exception) -> tuple[str, object]:
    """Seeds that fail in one way fail in one place."""
    *_, (_, line) = traceback.walk_tb(error.__traceback__)
    return type(error).__name__, line


def _seeds(effort: Effort, began: float) -> Iterator[int]:
    whole = minutes()
    if whole is None:
        yield from range(effort.seeds)
        return
    chance = random.Random()
    while time.monotonic() - began < whole * effort.share * 60:
        yield chance.randrange(10**9)
