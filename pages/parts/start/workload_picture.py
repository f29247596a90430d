"""A workload as a small picture: streams flow through windows into the join, and its aggregation.

Of many queries, the streams of the first are drawn, with a line where each query's window ends.
The colours suit light and dark pages, since an image does not know the theme.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

import streamlit as st

from pages.parts.shared.state import BY_DIGEST
from planner.numbers import shortened
from planner.workload.query import Query, Source, TimeWindow, TumblingWindow
from planner.workload.workload import Workload

WIDTH, HEIGHT = 340, 150
_LEFT, _NOW = 86, 262
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7A868F")
GREY = "#8A97A0"
_MOST_DOTS = 34


@st.cache_data(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def card(workload: Workload) -> str:
    """The first query's streams as lanes: dots for arrivals, a bar for each window, as SVG."""
    query = _widest(workload)
    lane = HEIGHT / len(query.sources)
    middle = HEIGHT / 2
    parts = [
        _lane(workload, query, source, place, lane * (place + 0.5), middle)
        for place, source in enumerate(query.sources)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">'
        f"{''.join(parts)}{_aggregation(middle) if query.aggregates else ''}"
        f"{_outputs(workload, middle)}{_join(middle)}</svg>"
    )


def colours(workload: Workload) -> dict[str, str]:
    """The colour of every stream on its workload's card, by its name and by its alias."""
    found: dict[str, str] = {}
    for query in (_widest(workload), *workload.queries):
        for place, source in enumerate(query.sources):
            colour = COLOURS[place % len(COLOURS)]
            found.setdefault(source.alias, found.setdefault(source.name, colour))
    return found


def _lane(
    workload: Workload, query: Query, source: Source, place: int, y: float, middle: float
) -> str:
    colour = COLOURS[place % len(COLOURS)]
    size = 11 if len(query.sources) < 7 else 10
    bar = min(20.0, HEIGHT / len(query.sources) - 5)
    begin = _NOW - (_NOW - _LEFT) * max(0.12, 0.92 * _seconds(source) / _longest(query))
    bend = (_NOW + 300) / 2
    return "".join(
        [
            f'<text x="{_LEFT - 10}" y="{y + 4:.1f}" text-anchor="end" font-size="{size}" '
            f'fill="{GREY}">{escape(shortened(_name(query, source), 12))}</text>',
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_NOW}" y2="{y:.1f}" stroke="{GREY}" '
            'stroke-opacity="0.35"/>',
            f'<rect x="{begin:.1f}" y="{y - bar / 2:.1f}" width="{_NOW - begin:.1f}" '
            f'height="{bar:.1f}" rx="4" fill="{colour}" fill-opacity="0.22"/>',
            *_ends(workload, source, y, bar, colour),
            *_dots(workload, source, place, y, colour),
            f'<path d="M{_NOW},{y:.1f} C{bend},{y:.1f} {bend},{middle} 300,{middle}" '
            f'fill="none" stroke="{colour}" stroke-width="1.6"/>',
        ]
    )


def _name(query: Query, source: Source) -> str:
    """A stream under its own name, but a self-join's under their aliases."""
    names = [other.name for other in query.sources]
    return source.name if names.count(source.name) == 1 else source.alias


def _dots(workload: Workload, source: Source, place: int, y: float, colour: str) -> Iterator[str]:
    """Arrivals: more dots for a faster stream, on a logarithmic scale."""
    stream = next((s for s in workload.streams if s.name == source.name), None)
    rate = stream.rate if stream is not None and stream.rate is not None else 3.0
    count = round(min(_MOST_DOTS, max(3.0, 5 + 11 * math.log10(max(rate, 0.3)))))
    gap = (_NOW - _LEFT) / count
    for dot in range(count):
        x = _NOW - gap * (dot + 0.35 + 0.3 * (place % 2))
        if x > _LEFT:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.1" fill="{colour}"/>'


def _widest(workload: Workload) -> Query:
    """The first query; of several, the one with the longest window on the same streams."""
    first = workload.queries[0]
    streams = {source.name for source in first.sources}
    alike = [q for q in workload.queries if {source.name for source in q.sources} == streams]
    return max(alike, key=_longest) if len(alike) > 1 else first


def _ends(workload: Workload, source: Source, y: float, bar: float, colour: str) -> Iterator[str]:
    """A line where the window of each query on a stream ends, if there are several."""
    if len(workload.queries) == 1:
        return
    windows = {
        other.window: other
        for query in workload.queries
        for other in query.sources
        if other.name == source.name and other.window is not None
    }
    longest = max((_seconds(other) for other in windows.values()), default=0.0)
    for other in windows.values():
        x = _NOW - (_NOW - _LEFT) * 0.92 * _seconds(other) / longest
        yield (
            f'<line x1="{x:.1f}" y1="{y - bar / 2:.1f}" x2="{x:.1f}" y2="{y + bar / 2:.1f}" '
            f'stroke="{colour}" stroke-width="1.2" stroke-opacity="0.8"/>'
        )


def _outputs(workload: Workload, middle: float) -> str:
    """How many queries the join answers, if it is more than one."""
    count = len(workload.queries)
    if count == 1:
        return ""
    lines = "".join(
        f'<path d="M312,{middle} Q326,{middle + rise} 338,{middle + 1.6 * rise}" fill="none" '
        f'stroke="{GREY}" stroke-width="1.4"/>'
        for rise in ((-26, -13, 13, 26) if count > 2 else (-18, 18))
    )
    return (
        f'{lines}<text x="{WIDTH - 2}" y="{HEIGHT - 8}" text-anchor="end" font-size="11" '
        f'fill="{GREY}">{count} queries</text>'
    )


def _join(middle: float) -> str:
    return (
        f'<circle cx="312" cy="{middle}" r="15" fill="#0F6E84"/>'
        f'<path d="M306,{middle - 6} L306,{middle + 6} L318,{middle - 6} L318,{middle + 6} Z" '
        'fill="none" stroke="#FFFFFF" stroke-width="1.8" stroke-linejoin="round"/>'
    )


def _aggregation(middle: float) -> str:
    """The sign of an aggregation over the join's results."""
    top = middle - 42
    return (
        f'<line x1="312" y1="{middle}" x2="312" y2="{top}" stroke="{GREY}" stroke-width="1.6"/>'
        f'<circle cx="312" cy="{top}" r="13" fill="#6B4C9A"/>'
        f'<text x="312" y="{top + 5}" text-anchor="middle" font-size="15" fill="#FFFFFF">γ</text>'
    )


def _longest(query: Query) -> float:
    return max(_seconds(source) for source in query.sources)


def _seconds(source: Source) -> float:
    """How long a window is; kinds without a length are drawn like a minute."""
    if isinstance(source.window, TimeWindow | TumblingWindow):
        return source.window.seconds
    return 60.0
