"""Numbers as people read them, in sentences, drawings and tables."""

from __future__ import annotations

from collections.abc import Sequence


def amount(value: float) -> str:
    """A number with thousands separated and no more digits than it needs.

    >>> amount(16000.0), amount(49542.30769), amount(0.0123), amount(2.5e15)
    ('16,000', '49,542.3', '0.0123', '2.5e+15')
    """
    if abs(value) >= 1e15:
        return f"{value:.4g}"
    if abs(value) >= 100:
        text = f"{value:,.1f}"
        return text.removesuffix(".0")
    return f"{value:.4g}"


def times(larger: float, smaller: float) -> str:
    """How many times one cost is another.

    >>> times(86850, 16000), times(3, 0)
    ('5.4x', 'far')
    """
    if smaller <= 0:
        return "far" if larger > 0 else "1x"
    return f"{larger / smaller:,.2g}x" if larger < 100 * smaller else f"{larger / smaller:,.0f}x"


def percent_more(larger: float, smaller: float) -> str:
    """By how many percent one cost is above another.

    >>> percent_more(101, 100), percent_more(100.957, 100), percent_more(2570, 100)
    ('1%', '1%', '2,470%')
    """
    if smaller <= 0:
        return "far"
    percent = 100 * (larger - smaller) / smaller
    if percent < 0.01:
        return "under 0.01%"
    return f"{percent:,.0f}%" if percent >= 10 else f"{percent:.{1 if percent < 1 else 2}g}%"


def shortened(text: str, most: int = 60) -> str:
    """The text, cut in its middle where it is too long to show."""
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def unique_names(names: Sequence[str]) -> list[str]:
    """The names with numbers after repeated ones.

    >>> unique_names(["slice", "probe", "slice"])
    ['slice', 'probe', 'slice (2)']
    """
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique
