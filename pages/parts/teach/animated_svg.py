"""The steps as one SVG that plays by itself, for slides: it loads nothing and runs nothing.

Every step takes as long: what changes at a step changes at its share of the whole, and tuples move
in the first part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten, wrap
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from planner.numbers import figure

_MATCH, _PROBE = "#8FD9BF", "#0072B2"
_WIDTH, _ROW, _CHIP, _SECONDS = 1280, 46, 62, 1.2
_IN_ROW = 17
_MOVES = 0.3
# A letter is so wide at most, on average, in the bold font of any browser.
_LETTER = 9.2
_LINE, _MOST_LINES = 20, 2


def animated_svg(data: dict[str, Any], title: str) -> str:
    """All steps in turn, over and over."""
    columns = _WIDTH // len(data["plans"])
    drawn = [
        _Plan(data, plan, nth * columns, columns).draw() for nth, plan in enumerate(data["plans"])
    ]
    height = max(tall for _, tall in drawn)
    every = [data["plans"][0]["start"], *data["plans"][0]["steps"]]
    head = [f'<text x="16" y="34" class="t">{escape(title)}</text>']
    when = [f"Step {n} of {len(every) - 1} · {step['time']} s" for n, step in enumerate(every)]
    head += _texts(when, 16, 56, "s")
    parts = "".join([*head, *(part for parts, _ in drawn for part in parts)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="15"><title>{escape(title)}</title>'
        "<style>.t{font-size:24px;font-weight:600}.s{font-size:13px;fill:#444}"
        ".l{font-weight:600}</style>"
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>{parts}</svg>'
    )


class _Plan:
    """One plan in its column."""

    def __init__(self, data: dict[str, Any], plan: dict[str, Any], left: int, width: int) -> None:
        self._data, self._plan, self._left, self._width = data, plan, left, width
        self._steps = [plan["start"], *plan["steps"]]
        self._in_row = min(_IN_ROW, (width - 40) // (_CHIP + 4))

    def draw(self) -> tuple[list[str], int]:
        """Its parts, and where they end."""
        left, top = self._left + 16, 92
        label = escape(self._fitting(self._plan["label"]))
        parts = [f'<text x="{left}" y="{top}" font-weight="600">{label}</text>']
        parts += _texts([self._counted(step) for step in self._steps], left, top + 22)
        lines = [self._wrapped(self._line(step)) for step in self._steps]
        parts += _texts(lines, left, top + 44, "l")
        top += 4 + _LINE * _MOST_LINES
        rows = {}
        for place in self._plan["places"]:
            top += _ROW + 24
            rows[place["id"]] = top
            name = escape(self._fitting(place["title"]))
            parts.append(f'<text x="{left}" y="{top - 8}" class="s">{name}</text>')
            parts.append(
                f'<rect x="{left - 4}" y="{top - 3}" width="{self._width - 28}" '
                f'height="{_ROW - 10}" rx="6" fill="#f0f2f6"/>'
            )
        return parts + self._chips(rows), top + _ROW + 20

    def _fitting(self, text: str) -> str:
        return shorten(text, self._letters, placeholder="…") or text[: self._letters]

    def _wrapped(self, text: str) -> str:
        return "\n".join(wrap(text, self._letters, max_lines=_MOST_LINES, placeholder=" …"))

    @property
    def _letters(self) -> int:
        return int((self._width - 32) / _LETTER)

    def _counted(self, step: dict[str, Any]) -> str:
        exact = step.get("exact")
        # Of nothing there is no share.
        exact = exact if exact and exact["results"] else None
        whole = f" of {exact['results']:,}" if exact else ""
        results = f"{step['results']:,}{whole} {self._data['results']}"
        if exact:
            results += f" (recall {step['results'] / exact['results']:.1%})"
        if step["figure"] is None:
            return results
        whole = f" of {figure(exact['figure'])}" if exact and exact["figure"] is not None else ""
        return f"{figure(step['figure'])}{whole} {self._data['unit']}, {results}"

    def _line(self, step: dict[str, Any]) -> str:
        """The first line of the algorithm that compares or gives something, or else the first."""
        kinds = {event[0]: event[1] for event in reversed(step["events"])}
        found = next((kinds[k] for k in ("probe", "shed", "emit", "insert") if k in kinds), None)
        return "" if found is None else str(self._plan["lines"][found])

    def _chips(self, rows: dict[str, int]) -> list[str]:
        spots: dict[str, list[tuple[int, int] | None]] = {}
        for number, step in enumerate(self._steps):
            for place, (_, held) in step["contents"].items():
                for at, chip in enumerate(held[-self._in_row :]):
                    own = spots.setdefault(chip, [None] * len(self._steps))
                    own[number] = (self._left + 16 + at * (_CHIP + 4), rows[place])
        looked = [{c for e in step["events"] for c in e[5][1]} for step in self._steps]
        matched = [{c for e in step["events"] for c in e[6][1]} for step in self._steps]
        return [
            self._chip(chip, own, [chip in s for s in looked], [chip in s for s in matched])
            for chip, own in spots.items()
        ]

    def _chip(
        self,
        chip: str,
        spots: Sequence[tuple[int, int] | None],
        looked: Sequence[bool],
        matched: Sequence[bool],
    ) -> str:
        known = self._data["chips"].get(chip.strip())
        colour = self._data["colours"][known[0]] if known else "#888"
        label = chip if not known or not known[1] else f"{chip} {known[1]}"
        length = len(spots) * _SECONDS
        fills = [_MATCH if one else "#fff" for one in matched]
        shown = _changing("opacity", ["0" if spot is None else "1" for spot in spots], length)
        dashes = _changing("opacity", ["1" if one else "0" for one in looked], length)
        text = escape(label[:14])
        squeezed = f'textLength="{_CHIP - 8}" lengthAdjust="spacingAndGlyphs"'
        return (
            f'<g opacity="0">{shown}{_moving(spots, length)}'
            f'<rect width="{_CHIP}" height="28" rx="5" fill="#fff" stroke="{colour}" '
            f'stroke-width="2">{_changing("fill", fills, length)}</rect>'
            f'<path d="M2 -2H{_CHIP - 2}M2 30H{_CHIP - 2}" stroke="{_PROBE}" stroke-width="3" '
            f'stroke-dasharray="6 3" opacity="0">{dashes}</path>'
            f'<text x="{_CHIP / 2}" y="19" text-anchor="middle" font-size="12" '
            f"{squeezed if len(text) > 8 else ''}>{text}</text></g>"
        )


def _texts(texts: Sequence[str], x: int, y: int, style: str = "") -> list[str]:
    """One text after the other in the same place; each is there once, however often it is shown."""
    length = len(texts) * _SECONDS
    parts = []
    for text in dict.fromkeys(filter(None, texts)):
        seen = _changing("opacity", ["1" if own == text else "0" for own in texts], length)
        lines = "".join(
            f'<tspan x="{x}" y="{y + _LINE * n}">{escape(line)}</tspan>'
            for n, line in enumerate(text.split("\n"))
        )
        parts.append(f'<text opacity="0" class="{style}">{lines}{seen}</text>')
    return parts


def _changing(attribute: str, values: Sequence[str], length: float) -> str:
    """An attribute from step to step, written where it changes."""
    turns = [n for n, value in enumerate(values) if n == 0 or value != values[n - 1]]
    times = ";".join(f"{n / len(values):.5f}" for n in turns)
    shown = ";".join(values[n] for n in turns)
    return (
        f'<animate attributeName="{attribute}" values={quoteattr(shown)} keyTimes="{times}" '
        f'calcMode="discrete" dur="{length:.1f}s" repeatCount="indefinite"/>'
    )


def _moving(spots: Sequence[tuple[int, int] | None], length: float) -> str:
    """Where a tuple is from step to step: it moves as a step begins, and stays until the next."""
    last = next(spot for spot in spots if spot is not None)
    times, places = [0.0], [last]
    for n, spot in enumerate(spots):
        if spot is not None and spot != last:
            times += [n / len(spots), (n + _MOVES) / len(spots)]
            places += [last, spot]
            last = spot
    times.append(1.0)
    places.append(last)
    at, to = ";".join(f"{t:.5f}" for t in times), ";".join(f"{x},{y}" for x, y in places)
    return (
        f'<animateTransform attributeName="transform" type="translate" values="{to}" '
        f'keyTimes="{at}" dur="{length:.1f}s" repeatCount="indefinite"/>'
    )
