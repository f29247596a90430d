"""Aggregations before and after a join as people say them."""

from __future__ import annotations

from collections.abc import Sequence


def title(label: str, aliases: Sequence[str]) -> str:
    """A label in words; without the aliases of the sources, the label with what it stands for.

    >>> title("LAP", ["S1", "S2"]), title("EAP-10", ["S1", "S2"]), title("EAP-01", [])
    ('Aggregate after the join (LAP)', 'Aggregate S1 before the join', 'Aggregate early (EAP-01)')
    """
    if label == "LAP":
        return "Aggregate after the join (LAP)"
    digits = label.removeprefix("EAP-")
    early = [alias for alias, digit in zip(aliases, digits, strict=False) if digit == "1"]
    if not early or len(digits) != len(aliases):
        return f"Aggregate early ({label})"
    *first, last = early
    return (
        f"Aggregate {', '.join(first)} and {last} before the join"
        if first
        else (f"Aggregate {last} before the join")
    )
