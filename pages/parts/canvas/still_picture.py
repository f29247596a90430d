"""A plan as an SVG that does not move, for reports: what the canvas draws before any click."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from pages.parts.canvas.graph_layout import Room
from pages.parts.canvas.scene import CanvasPlan, opened_at_first, scene

# Pale fills under dark letters, safe for the colour-blind; each has an arrow in words, too.
MET, OVER, UNDER = "#d5ecdf", "#fbd9b5", "#cfe3f7"

# Pixels: about a bold letter.
_LETTER = 6.8
# About the room on a page.
_ROOM = Room(1000, 500)


def still(drawn: CanvasPlan) -> str:
    """The plan with its large branches folded, as an `<svg>` element that fits its page."""
    shown = scene(drawn, opened_at_first(drawn, _ROOM), _ROOM)
    width, height = (size + 12 for size in shown["size"])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-6 -6 {width:g} {height:g}" '
        f'width="{width:g}" style="max-width:100%;height:auto" font-family="sans-serif" '
        f'font-size="11" role="img" aria-label="{escape(shown["text"])}">'
        f"{''.join(_parts(shown))}</svg>"
    )


def _parts(shown: Mapping[str, Any]) -> Iterator[str]:
    for frame in shown["frames"]:
        x, y, width, height = frame["at"]
        yield f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#f4f6f7"/>'
        yield f'<text x="{x + 8}" y="{y + 14}">{escape(frame["name"])}</text>'
    for line in shown["lines"]:
        dashes = "" if line["rows"] else ' stroke-dasharray="3 4"'
        stroke = min(7.0, 1.2 + 0.9 * math.log10(1 + line["rows"]))
        yield (
            f'<path d="{line["path"]}" fill="none" stroke="{line["colour"] or "#8a97a0"}" '
            f'stroke-width="{stroke:.1f}"{dashes}/>'
        )
    width, height = shown["box"]
    for box in shown["boxes"]:
        x, y = box["at"][0] - width / 2, box["at"][1] - height / 2
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{width}" height="{height}" rx="7" '
            f'fill="{_fill(box)}" stroke="{box["colour"] or "#8a97a0"}"/>'
        )
        texts = [_name(box), box["figure"], box.get("measured", "")]
        for place, text in enumerate(texts):
            look = ' font-weight="600"' if place == 0 else ""
            if len(text) * _LETTER > width - 20:
                # Whatever the font of the reader, it stays within its box.
                look += f' textLength="{width - 20}" lengthAdjust="spacingAndGlyphs"'
            yield f'<text x="{x + 10:g}" y="{y + 17 + 15 * place:g}"{look}>{escape(text)}</text>'


def _name(box: Mapping[str, Any]) -> str:
    return f"{box['name']} ({box['count']})" if box["count"] > 1 else box["name"]


def _fill(box: Mapping[str, Any]) -> str:
    if box.get("ratio") is None:
        return "#ffffff"
    return MET if box["met"] else OVER if box["over"] else UNDER
