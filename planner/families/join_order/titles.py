"""Join orders as people say them: which source comes first, and what follows."""

from __future__ import annotations


def title(label: str) -> str:
    """A label in words.

    >>> title("S1,S2,S3"), title("naive:S2,S1")
    ('S1 first, then S2, S3', 'Fixed loops S2, S1 (naive)')
    >>> title("general:S1=S1,S2;S2=S2,S1")
    'An order of its own for each stream'
    """
    if label.startswith("general:"):
        return "An order of its own for each stream"
    if label.startswith("naive:"):
        return f"Fixed loops {', '.join(label.removeprefix('naive:').split(','))} (naive)"
    first, *others = label.split(",")
    return f"{first} first, then {', '.join(others)}" if others else first
