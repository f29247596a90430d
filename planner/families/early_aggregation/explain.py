"""Late and early aggregation in words: the answer sentence, the rules, orders and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.families.base import Title, answer_beside_baseline, plain_answer
from planner.families.early_aggregation.groups import groups_of
from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.published_model import PrintedModel
from planner.families.early_aggregation.ranking import best_mask
from planner.families.early_aggregation.search import orders
from planner.families.early_aggregation.skew import skewed_classes
from planner.families.protocol import Ranking
from planner.joins.upkeep import NEVER_STEADY
from planner.numbers import amount, figure, shortened

# Plans that the paper's equations are asked about one by one.
MOST_BOUNDED = 16
# A set with at most this share of its window's tuples is a reason why its plan wins.
_SPARING = 0.8


@dataclass(frozen=True, slots=True)
class SourceSizes:
    """One source: tuples of its window, cells of its set, and entries expected and at most."""

    source: str
    tuples: float
    cells: float
    entries: float
    entries_bound: float


def sizes(model: AggregationModel) -> tuple[SourceSizes, ...]:
    """How many tuples each window and entries each set holds, under both models."""
    printed = PrintedModel(model)
    return tuple(
        SourceSizes(
            model.join.aliases[place],
            content.mean(is_set=False),
            content.cells.number,
            content.mean(is_set=True),
            printed.entries(place).value,
        )
        for place, content in enumerate(model.contents)
    )


def answer(model: AggregationModel, ranking: Ranking, title: Title) -> str:
    """Which plan wins, by how much, because of what, and what comes close to it."""
    if ranking.by.name not in ("work", "seconds"):
        return plain_answer(ranking, title)
    best = ranking.of(ranking.best)
    if ranking.considered == 1:
        return f"{title(best.label)}: {ranking.by.said(best.score)}; {_only(model)}."
    return answer_beside_baseline(
        ranking,
        title,
        lambda: _small(model, model.mask(best.label)),
        lambda: _too_large(model),
    )


def facts(model: AggregationModel, label: str) -> Iterator[str]:
    """How few groups the windows have that are aggregated early, or why none is."""
    mask = model.mask(label)
    reason = _small(model, mask) if mask else _too_large(model)
    yield f"{reason[0].upper()}{reason[1:]}." if not mask else f"{reason}."


def why(model: AggregationModel) -> tuple[str, ...]:
    """The rules for each source, the orders of the best plan, and what the model leaves out."""
    return (*_rules(model), *_orders(model), *_bounds(model), *_left_out(model))


def _only(model: AggregationModel) -> str:
    if model.count == 1:
        return "with one source there is nothing to join, and LAP is the one plan"
    return f"no source can be aggregated early, because {model.without_sets}"


def _small(model: AggregationModel, mask: int) -> str:
    """How few groups the windows hold that are aggregated early; equal ones together.

    A set that spares little is named only where none spares more.
    """
    alike: dict[str, list[str]] = {}
    early = [place for place in range(model.count) if mask >> place & 1]
    sparing = [p for p in early if _share(model, p) <= _SPARING]
    for place in sparing or early:
        alike.setdefault(_groups_in(model, place), []).append(model.join.aliases[place])
    text = []
    for groups, (*names, last) in alike.items():
        several = f"{', '.join(names)} and {last} each have"
        text.append(f"{several if names else f'{last} has'} {groups}")
    *first, last_told = text
    return f"{', '.join(first)} and {last_told}" if first else last_told


def _share(model: AggregationModel, place: int) -> float:
    """The entries of a set over the tuples of its window."""
    content = model.contents[place]
    held = content.mean(is_set=False)
    return content.mean(is_set=True) / held if held else 1.0


def _groups_in(model: AggregationModel, place: int) -> str:
    content = model.contents[place]
    kind = "relation" if content.window.is_relation else "window"
    held, entries = (_whole(content.mean(is_set)) for is_set in (False, True))
    return f"{entries} groups in a {kind} of {held}"


def _whole(value: float) -> str:
    """A number of tuples: whole, unless it is small."""
    return figure(round(value)) if value >= 10 else amount(round(value, 1))


def _too_large(model: AggregationModel) -> str:
    """The set that would spare most of its window: even that is not worth its updates."""
    shares = {
        place: _share(model, place)
        for place in model.probed
        if model.contents[place].mean(is_set=False)
    }
    if not shares:
        return "no window holds anything to aggregate"
    place = min(shares, key=shares.__getitem__)
    name = model.join.aliases[place]
    return f"sets spare too little: {name} has {_groups_in(model, place)}"


def _rules(model: AggregationModel) -> Iterator[str]:
    for rule in model.rules:
        yield f"{rule.why_group}."
        yield f"{rule.why_functions}."


def _orders(model: AggregationModel) -> Iterator[str]:
    if model.count < 3:
        return
    best = best_mask(model)
    names = model.join.aliases
    for order in orders(model, best):
        joined = ", ".join(names[place] for place in order[1:])
        label, origin = model.label(best), names[order[0]]
        yield f"{label} joins a tuple of {origin} with {joined}, in this order."
    yield "The orders are exact: the cheapest of all, for every origin and every plan."


def _bounds(model: AggregationModel) -> Iterator[str]:
    """What the paper's equations say; of many plans, about the best one and LAP."""
    printed, best = PrintedModel(model), best_mask(model)
    if len(model.masks) <= MOST_BOUNDED:
        found = {mask: printed.score(mask) for mask in model.masks}
        least = min(found, key=lambda mask: (found[mask], model.label(mask)))
        yield (
            f"The paper's equations, whose sizes are upper bounds, find {model.label(least)} "
            f"cheapest with {amount(found[least])} operations/s."
        )
    else:
        early, late = (f"{amount(printed.score(mask))}" for mask in (best, 0))
        yield (
            f"The paper's equations, whose sizes are upper bounds, give {early} operations/s for "
            f"{model.label(best)} and {late} for LAP."
        )


def _left_out(model: AggregationModel) -> Iterator[str]:
    windows = model.join.windows
    if any(window.ends == "never" for window in windows):
        yield NEVER_STEADY
    if any(window.tumbling for window in windows):
        yield "Tumbling windows of one length fill together: sizes are means over a block."
    if any(key.zipf for known in skewed_classes(model) for key in known.known.keys):
        yield (
            "Frequent keys stand in one entry of a set for many tuples: entries are counted key by "
            "key."
        )
    names = [windows[place].name for place in model.origins]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice and model.twins is None:
        yield f"Sizes leave out that a tuple of {shortened(', '.join(twice))} also meets itself."
    if model.extrema:
        functions = ", ".join(dict.fromkeys(extremum.function for extremum in model.extrema))
        yield f"{functions}: looking for an extremum anew counts as comparisons."
    if not model.join.graph.is_single(model.count) and model.count > 1:
        groups = amount(groups_of(model).expected)
        yield f"Attributes are taken to be independent; the output has about {groups} groups."
