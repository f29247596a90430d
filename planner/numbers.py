"""Numbers as people read them, in sentences, drawings and tables."""

from __future__ import annotations

from collections.abc import Sequence

_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


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


def figure(value: float) -> str:
    """A number as sentences have it: in three digits.

    >>> figure(16094.237), figure(155.9), figure(0.00039344), figure(16000), figure(2.5e15)
    ('16,100', '156', '0.000393', '16,000', '2.5e+15')
    """
    return amount(float(f"{value:.3g}"))


def roughly(value: float) -> str:
    """A large count as people say it.

    >>> roughly(14_171_030_000), roughly(2_500_000), roughly(93_012)
    ('14.2 billion', '2.5 million', '93,000')
    """
    for size, word in _LARGE:
        if value >= size:
            return f"{figure(value / size)} {word}"
    return figure(value)


def in_words(value: float) -> str:
    """A limit, or what went beyond it: no two different numbers look alike.

    >>> in_words(1e10), in_words(1e12), in_words(10_000_000_001), in_words(0.25), in_words(3e20)
    ('10 billion', '1 trillion', '10,000,000,001', '0.25', '300,000,000 trillion')
    """
    size, word = next(((s, w) for s, w in _LARGE if abs(value) >= s), (1.0, ""))
    if word and float(f"{value / size:.3g}") * size == value:
        return f"{value / size:,.15g} {word}" if abs(value) < 1e24 else f"{value:g}"
    return f"{value:,.15g}" if abs(value) < 1e15 else f"{value:g}"


def duration(seconds: float) -> str:
    """Seconds that may be very short, in three digits.

    >>> duration(5.17e-6), duration(7.7e-8), duration(5e-11), duration(0.21), duration(130)
    ('5.17 µs', '77 ns', '0.05 ns', '210 ms', '130 s')
    """
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{figure(seconds / size)} {unit}"
    return f"{figure(seconds / 1e-9)} ns"


def times(larger: float, smaller: float) -> str:
    """How many times one cost is another.

    >>> times(86850, 16000), times(3, 0)
    ('5.4x', 'far')
    """
    if smaller <= 0:
        return "far" if larger > 0 else "1x"
    return f"{larger / smaller:,.2g}x" if larger < 100 * smaller else f"{larger / smaller:,.0f}x"


def percent_more(larger: float, smaller: float) -> str:
    """By how much one cost is above another: in percent, or from twice as much on, how many times.

    >>> percent_more(101, 100), percent_more(100.957, 100), percent_more(2570, 100)
    ('1%', '1%', '26x')
    """
    if smaller <= 0:
        return "far"
    if larger >= 2 * smaller:
        return times(larger, smaller)
    return percent(100 * (larger - smaller) / smaller)


def percent_less(smaller: float, larger: float) -> str:
    """How much one cost is below another.

    >>> percent_less(99, 100), percent_less(1, 4), percent_less(99.999, 100), percent_less(1, 900)
    ('1%', '75%', 'under 0.01%', 'over 99%')
    """
    less = 100 * (1 - smaller / larger) if larger > 0 else 0.0
    return percent(less) if less <= 99 else "over 99%"


def percent(value: float) -> str:
    """A difference in percent, with as many digits as a reader needs.

    >>> percent(0.957), percent(4.56), percent(33.4), percent(0.001)
    ('1%', '4.6%', '33%', 'under 0.01%')
    """
    if value < 0.01:
        return "under 0.01%"
    return f"{value:,.0f}%" if value >= 10 else f"{value:.{1 if value < 1 else 2}g}%"


def quoted(name: str) -> str:
    """A name within a sentence: plans are called by several words.

    >>> quoted("S1 first, then S2")
    '“S1 first, then S2”'
    """
    return f"“{name}”"


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
