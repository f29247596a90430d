"""Where a function passes zero."""

from __future__ import annotations

from collections.abc import Callable

# A place is solved to so much of its value.
_NEAR = 1e-10
_MOST_STEPS = 200


def where_lost(
    lead: Callable[[float], float], low: float, high: float, near: float = _NEAR
) -> float:
    """Where a lead is lost between two ends: by regula falsi, and every third step a halving.

    Of two values that are as close as can be told, the one where it is lost; the nearer end where
    it is lost at none or at both.
    """
    ahead, behind = lead(low), lead(high)
    if ahead <= 0:
        return low
    if behind > 0:
        return high
    for step in range(_MOST_STEPS):
        close = near * max(abs(high), abs(low))
        if abs(high - low) <= close:
            break
        value = (low + high) / 2
        if step % 3 < 2:
            # Next to an end that has nearly met, a step beyond the meeting point ends the search.
            least = close / 2 / abs(high - low)
            share = min(max(ahead / (ahead - behind), least), 1 - least)
            value = low + share * (high - low)
        found = lead(value)
        if found > 0:
            low, ahead = value, found
        else:
            high, behind = value, found
    return high
