"""The steps as one SVG that plays by itself, for slides: it loads nothing and runs nothing."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_WIDTH, _ROW, _CHIP, _SECONDS = 1280, 46, 62, 1.2
_MOST_STEPS = 60
_IN_ROW = 17


def animated_svg(data: dict[str, Any], title: str) -> str:
    """All steps in turn, each for a second or so, over and over."""
    steps = min(len(data["plans"][0]["steps"]), _MOST_STEPS)
    length = f"{(steps + 1) * _SECONDS:.1f}s"
    columns = _WIDTH // len(data["plans"])
    parts, height = [], 0
    for nth, plan in enumerate(data["plans"]):
        drawn, tall = _plan(data, plan, nth * columns, columns, steps, length)
        parts += drawn
        height = max(height, tall)
    head = f'<text x="16" y="34" class="t">{escape(title)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="15"><title>{escape(title)}</title>'
        "<style>.t{font-size:24px;font-weight:600}.s{font-size:12px;fill:#555}</style>"
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>{head}{"".join(parts)}</svg>'
    )


def _plan(
    data: dict[str, Any], plan: dict[str, Any], left: int, width: int, steps: int, length: str
) -> tuple[list[str], int]:
    every = [plan["start"], *plan["steps"][:steps]]
    in_row = min(_IN_ROW, (width - 40) // (_CHIP + 4))
    top = 70
    parts = [f'<text x="{left + 16}" y="{top}" font-weight="600">{escape(plan["label"])}</text>']
    texts = [f"{step['total']:,} {data['unit']}, {step['results']:,} results" for step in every]
    parts += _changing(texts, left + 16, top + 22, length)
    rows = {}
    for place in plan["places"]:
        top += _ROW + 24
        rows[place["id"]] = top
        parts.append(
            f'<text x="{left + 16}" y="{top - 8}" class="s">{escape(place["title"])}</text>'
        )
        parts.append(
            f'<rect x="{left + 12}" y="{top - 3}" width="{width - 28}" height="{_ROW - 10}" rx="6" '
            'fill="#f0f2f6"/>'
        )
    where: dict[str, list[tuple[int, int] | None]] = {}
    for number, step in enumerate(every):
        for place, (_, held) in step["contents"].items():
            for at, chip in enumerate(held[-in_row:]):
                spots = where.setdefault(chip, [None] * len(every))
                spots[number] = (left + 16 + at * (_CHIP + 4), rows[place])
    for chip, spots in where.items():
        parts.append(_chip(data, chip, spots, length))
    return parts, top + _ROW + 20


def _changing(texts: list[str], x: int, y: int, length: str) -> list[str]:
    """One text after the other in the same place."""
    parts = []
    for number, text in enumerate(texts):
        shown = ";".join("1" if at == number else "0" for at in range(len(texts)))
        parts.append(
            f'<text x="{x}" y="{y}" opacity="0">{escape(text)}<animate attributeName="opacity" '
            f'values="{shown}" calcMode="discrete" dur="{length}" repeatCount="indefinite"/></text>'
        )
    return parts


def _chip(data: dict[str, Any], chip: str, spots: list[tuple[int, int] | None], length: str) -> str:
    known = data["chips"].get(chip)
    colour = COLOURS[known[0] % len(COLOURS)] if known else "#888"
    first = next(spot for spot in spots if spot is not None)
    places, last = [], first
    for spot in spots:
        last = spot or last
        places.append(f"{last[0]},{last[1]}")
    seen = ";".join("0" if spot is None else "1" for spot in spots)
    label = chip if not known or not known[1] else f"{chip} {known[1]}"
    return (
        f'<g opacity="0"><animate attributeName="opacity" values={quoteattr(seen)} '
        f'calcMode="discrete" dur="{length}" repeatCount="indefinite"/>'
        f'<animateTransform attributeName="transform" type="translate" '
        f'values={quoteattr(";".join(places))} dur="{length}" repeatCount="indefinite"/>'
        f'<rect width="{_CHIP}" height="28" rx="5" fill="#fff" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{_CHIP / 2}" y="19" text-anchor="middle" font-size="12" '
        f'textLength="{_CHIP - 8}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(label[:14])}</text></g>'
    )
