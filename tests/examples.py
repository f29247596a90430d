"""How many random examples a property is tried on."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The same examples in every check, so that luck decides nothing; others in every `./check --all`.
# How long one takes is no fault, on a machine that is busy.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("check", max_examples=50, derandomize=True, **_PATIENT)
settings.register_profile("all", max_examples=1000, **_PATIENT)
# A property that says how many examples it needs has so many times as many in all.
_MORE_IN_ALL = 10


def load_profile() -> None:
    """That of `./check`, unless its script asks for another."""
    settings.load_profile(os.environ.get("SLUICE_HYPOTHESIS", "check"))


def times(count: int) -> int:
    """So many in `./check`; ten times as many in `./check --all`."""
    return count * (_MORE_IN_ALL if in_all() else 1)


def examples(count: int) -> settings:
    """A property is tried on so many random examples, or on more in `./check --all`."""
    return settings(max_examples=times(count))


def in_all() -> bool:
    """Whether this is `./check --all`."""
    return settings.default is settings.get_profile("all")
