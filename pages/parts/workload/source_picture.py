"""A dropped file as a small picture: its rate over time, and rows by key, most frequent first.

The colours suit light and dark pages, since an image does not know the theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_WIDTH, _HEIGHT, _BASE = 340, 96, 78
_HALF = 160
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7A868F")
_GREY = "#8A97A0"
BINS, KEYS = 60, 40


def picture(
    place: int, rates: Sequence[int], keys: Sequence[int], captions: tuple[str, str]
) -> str:
    """Rows over time on the left, rows by key on the right, as SVG; `captions` are below them."""
    colour = _COLOURS[place % len(_COLOURS)]
    left = _area(rates, colour) if rates else ""
    right = _bars(keys, colour) if keys else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="11" '
        f'fill="{_GREY}">{left}{right}'
        f'<text x="2" y="{_BASE + 15}">{escape(captions[0])}</text>'
        f'<text x="{_WIDTH - _HALF}" y="{_BASE + 15}">{escape(captions[1])}</text></svg>'
    )


def _area(counts: Sequence[int], colour: str) -> str:
    largest, step = max(*counts, 1), _HALF / max(len(counts) - 1, 1)
    line = " ".join(
        f"{n * step:.1f},{_BASE - 68 * count / largest:.1f}" for n, count in enumerate(counts)
    )
    return (
        f'<polygon points="0,{_BASE} {line} {_HALF},{_BASE}" fill="{colour}" fill-opacity="0.22"/>'
        f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    )


def _bars(counts: Sequence[int], colour: str) -> str:
    largest, step = max(*counts, 1), _HALF / max(len(counts), 8)
    return "".join(
        f'<rect x="{_WIDTH - _HALF + n * step:.1f}" y="{_BASE - 68 * count / largest:.1f}" '
        f'width="{max(step - 1, 1):.1f}" height="{68 * count / largest:.1f}" fill="{colour}" '
        'fill-opacity="0.75"/>'
        for n, count in enumerate(counts)
    )
