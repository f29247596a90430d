"""How long the fuzzers try random seeds: a few in `./check`, for an hour in `./check --all`."""

from __future__ import annotations

import os
import random
import time
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
    """Try seeds one after the other; what one raises says which it was."""
    began, tried = time.monotonic(), 0
    for seed in _seeds(EFFORTS[name], began):
        try:
            check(seed)
        except BaseException as error:
            error.add_note(f"{name}: seed {seed}, after {tried:,} others")
            raise
        tried += 1
    return Fuzzed(tried, time.monotonic() - began)


def _seeds(effort: Effort, began: float) -> Iterator[int]:
    whole = minutes()
    if whole is None:
        yield from range(effort.seeds)
        return
    chance = random.Random()
    while time.monotonic() - began < whole * effort.share * 60:
        yield chance.randrange(10**9)
