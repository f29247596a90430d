"""How many random examples a property is tried on."""

from __future__ import annotations

from hypothesis import settings

_USUAL = settings.get_profile("check").max_examples


def examples(count: int) -> settings:
    """So many in `./check`; as many times more in `./check --all` as its profile says."""
    return settings(max_examples=count * settings.default.max_examples // _USUAL)
