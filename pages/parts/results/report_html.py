"""Pieces of an HTML report. Everything that comes from a workload is escaped, and the file never
loads anything from the network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template

import plotly.graph_objects as go

from pages.parts.shared.charts import settings
from planner.numbers import amount

# Styles and scripts are in the file itself; pictures are SVG in it, or drawn by its own charts.
_PAGE = Template(Path(__file__).with_name("report.html").read_text(encoding="utf-8"))
Cell = str | float | int | None


def page(title: str, body: Iterable[str]) -> str:
    """The whole file, with the chart library in it."""
    from plotly.offline import get_plotlyjs

    charts = get_plotlyjs()
    return _PAGE.substitute(title=escape(title), charts=charts, body="\n".join(body))


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
