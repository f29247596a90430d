"""How many random examples a property is tried on."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The same examples in every check, so that luck decides nothing; others in every `./check --all`.
# How long one takes is no fault, on a machine that is busy.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("check", derandomize=True, **_PATIENT)
settings.register_profile("all", max_examples=1000, **_PATIENT)
_USUAL = settings.get_profile("check").max_examples


def load_profile() -> None:
    """That of `./check`, unless its script asks for another."""
    settings.load_profile(os.environ.get("SLUICE_HYPOTHESIS", "check"))


def examples(count: int) -> settings:
    """So many in `./check`; as many times more in `./check --all` as its profile says."""
    return settings(max_examples=count * settings.default.max_examples // _USUAL)
