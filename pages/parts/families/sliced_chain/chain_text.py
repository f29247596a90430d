"""Shared joins in words: the labels of their figure, and its text alternative."""

from __future__ import annotations

from pages.parts.shared.formatting import safe
from planner.families.sliced_chain.picture import DrawnJoin, Picture, TapGroup
from planner.numbers import amount, shortened
from planner.workload.validation import exact, listed

MOST_LISTED = 40


def chain_alternative(picture: Picture) -> str:
    """The text alternative of the figure."""
    unit = unit_of(picture)
    joins = (
        f"{bounds(join)} {unit} {join.name} holds {amount(round(join.tuples[0], 1))} of "
        f"{picture.streams[0]} and {amount(round(join.tuples[1], 1))} of {picture.streams[1]}"
        for join in picture.joins[:MOST_LISTED]
    )
    taps = (f"{names(tap)} up to {exact(tap.longest)} {unit}" for tap in picture.taps[:MOST_LISTED])
    return f"{'; '.join(joins)}. Queries: {'; '.join(taps)}."


def names(tap: TapGroup, most: int = 3) -> str:
    """The queries of a tap, or the first of them."""
    return safe(listed((shortened(name, 16) for name in tap.queries), most))


def bounds(join: DrawnJoin) -> str:
    """Where a join begins and ends."""
    return f"[{exact(join.start)}, {exact(join.end)})"


def unit_of(picture: Picture) -> str:
    """What its windows are measured in."""
    return "rows" if picture.unit == "rows" else "s"


def join_text(picture: Picture, join: DrawnJoin) -> str:
    """A slice in a few lines."""
    lines = [
        f"{bounds(join)} {unit_of(picture)}",
        f"{amount(round(sum(join.tuples), 1))} tuples, {amount(round(sum(join.bytes)))} bytes",
        f"{amount(round(join.entering, 2))} tuples/s enter to probe",
        f"{len(join.queries)} queries read it: {listed(map(shortened, join.queries), 6)}",
    ]
    if join.inside:
        lines.append(f"{len(join.inside)} windows end inside: results are routed")
    if join.selections:
        lines.append(f"results selected by {len(join.selections)} conditions")
    return "<br>".join(safe(line) for line in lines)


def state_text(picture: Picture, join: DrawnJoin, side: int) -> str:
    """What a join holds of one stream, in a few lines."""
    stream, share = picture.streams[side], 100 * join.shares[side]
    lines = [
        f"{stream} in [{exact(join.start)}, {exact(join.ends[side])}) {unit_of(picture)}",
        f"{amount(round(join.tuples[side], 1))} tuples, {amount(round(join.bytes[side]))} bytes",
        f"{share:.3g}% of its tuples are kept: {join.entry[side]}",
    ]
    if not picture.is_chain:
        lines.append(f"for {listed(map(shortened, join.queries), 6)}")
    return "<br>".join(safe(line) for line in lines)


def tap_text(picture: Picture, tap: TapGroup) -> str:
    """Queries with the same windows, in a few lines."""
    windows = (
        f"{exact(tap.windows[0])} {unit_of(picture)}"
        if len({*tap.windows}) == 1
        else f"{exact(tap.windows[0])} on {picture.streams[0]}, "
        f"{exact(tap.windows[1])} on {picture.streams[1]}"
    )
    lines = [names(tap, 6), f"window {windows}", f"asks for {listed(tap.conditions, 3)}"]
    return "<br>".join(safe(line) for line in lines)
