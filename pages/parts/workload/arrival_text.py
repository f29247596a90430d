"""How the rate of a stream changes, in one cell of a table, and as the workload file says it."""

from __future__ import annotations

from typing import Any

_MANNERS = ("pareto", "regular")
TRACE = "trace"


def shape_text(arrivals: Any) -> str | None:
    """How the rate changes: `burst at=100 lasts=60 factor=10`; None where it does not."""
    if not isinstance(arrivals, dict):
        return None
    for kind, settings in arrivals.items():
        if kind in _MANNERS:
            continue
        if kind == TRACE or not isinstance(settings, dict):
            return str(kind)
        return " ".join([str(kind), *(f"{name}={value}" for name, value in settings.items())])
    return None


def shape_part(text: str | None, old: Any) -> dict[str, Any]:
    """How the file says it. What cannot be read stays, so that the file says what is wrong.

    The rates of a trace are not in the text: they stay as they were.
    """
    words = (text or "").replace(",", " ").split()
    if not words:
        return {}
    kind, *given = words
    if kind == TRACE and not given and isinstance(old, dict) and TRACE in old:
        return {TRACE: old[TRACE]}
    pairs = (word.partition("=") for word in given)
    return {kind: {name: _value(value) for name, _, value in pairs}}


def _value(text: str) -> int | float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value
