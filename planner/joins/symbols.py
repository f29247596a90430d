"""Windows and sizes as LaTeX, in symbols and with the values filled in."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.joins.model import JoinModel
from planner.joins.windows import JoinWindow, Timing
from planner.numbers import shortened

_TEX = {"\\": r"\backslash ", "~": r"\sim ", "^": r"\wedge "} | {c: f"\\{c}" for c in "{}$&#%_"}

# A formula in symbols, and again with the values.
Written = tuple[str, str]


def tex(window: JoinWindow) -> str:
    """An alias as a subscript."""
    return subscript(window.alias)


def subscript(name: str) -> str:
    """A name as a subscript; every character that LaTeX would act on is escaped."""
    return rf"\mathrm{{{''.join(_TEX.get(c, c) for c in shortened(name, 24))}}}"


def figure(value: float) -> str:
    """A number as LaTeX writes it."""
    mantissa, _, exponent = f"{value:.7g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def stated(window: JoinWindow) -> Written:
    """A window as the query states it: lambda T, N rows, or the rows of a relation.

    Of a tumbling window half of that, and of a landmark window all until the middle of the run.
    """
    name = tex(window)
    if window.is_relation:
        return rf"R_{{{name}}}", figure(window.tuples)
    if window.counted:
        return rf"N_{{{name}}}", figure(window.tuples)
    length = rf"T_{{{name}}}"
    if window.tumbling:
        length = rf"\frac{{{length}}}{{2}}"
    elif window.ends == "never":
        length = "t"
    return rf"\lambda_{{{name}}} {length}", rf"{figure(window.rate)} \cdot {seconds(window)}"


def seconds(window: JoinWindow) -> str:
    """T as a number."""
    return figure(window.seconds)


def longer(window: JoinWindow, extra: Written, tuples: float) -> Written:
    """A window that holds some seconds of tuples beyond what is stated."""
    if window.is_relation:
        return stated(window)
    rate, value = rf"\lambda_{{{tex(window)}}}", figure(window.rate)
    if window.counted:
        return rf"\left(N_{{{tex(window)}}} + {rate} {extra[0]}\right)", figure(tuples)
    length = figure(tuples / window.rate) if window.rate else "0"
    return rf"{rate} \left(T_{{{tex(window)}}} + {extra[0]}\right)", rf"{value} \cdot {length}"


def examined_extra(timing: Timing) -> Written:
    """Seconds that a scan finds beyond the window."""
    if timing.evaluate is None:
        symbols = r"\frac{E}{2}"
    elif timing.expire == timing.evaluate:
        symbols = r"\tau"
    else:
        symbols = r"\frac{E + \tau}{2}"
    return symbols, figure(timing.examined_extra)


def examined(model: JoinModel, window: JoinWindow) -> Written:
    """A window as a scan finds it."""
    if model.timing.expire is None:
        return stated(window)
    return longer(window, examined_extra(model.timing), window.examined)


def phi(model: JoinModel, members: Sequence[int], grown: bool) -> str:
    """The name of a size; with a hat where its windows are as long as a scan finds them."""
    names = ",".join(tex(model.windows[place]) for place in members)
    return rf"\hat\phi_{{{names}}}" if grown else rf"\phi_{{{names}}}"


def size(model: JoinModel, members: Sequence[int], grown: bool) -> tuple[float, Written]:
    """How many composites these windows hold, and what the name of that size stands for."""
    windows = [model.windows[place] for place in members]
    written = [examined(model, w) if grown else stated(w) for w in windows]
    value = model.stored(members) if grown else math.prod(w.tuples for w in windows)
    name = phi(model, members, grown)
    if len(windows) == 1:
        return value, (rf", \quad {name} = {written[0][0]}", "")
    share = model.graph.share(members)
    held, held_values = " ".join(w for w, _ in written), r" \cdot ".join(v for _, v in written)
    if grown and model.varies:
        # All windows grow until they are expired, so the mean of the product counts.
        held, held_values = rf"\overline{{{held}}}", figure(value)
    keys = model.graph.classes[0].inside(members) if model.graph.classes else ()
    plain = model.is_single and model.graph.classes[0].declared is None
    if plain and not any(key.zipf or key.first > 1 for key in keys):
        distinct = " ".join(f"v_{{{tex(window)}}}" for window in windows)
        counts = r" \cdot ".join(str(key.distinct) for key in keys)
        least = min(key.distinct for key in keys)
        symbols = rf"\frac{{{held} \cdot \min v}}{{{distinct}}}"
        values = rf"\frac{{{held_values} \cdot {least}}}{{{counts}}}"
    else:
        # On a join graph the share of combinations that match has a factor for each attribute.
        symbols, values = rf"{held} \cdot \sigma", rf"{held_values} \cdot {figure(share)}"
    return value * share, (rf", \quad {name} = {symbols}", rf", \quad {name} = {values}")
