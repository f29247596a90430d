"""Shared joins in words: the answer sentence, who shares what, how the chain was found."""

from __future__ import annotations

from collections.abc import Iterator

from planner.families.base import answer_beside_baseline, plain_answer
from planner.families.protocol import Ranking
from planner.families.sliced_chain.chain_search.chains import GroupChains
from planner.families.sliced_chain.labels import PULL_UP, PUSH_DOWN, UNSHARED
from planner.families.sliced_chain.model import GroupModel
from planner.families.sliced_chain.published_model import (
    pull_up,
    push_down,
    state_slice,
    two_queries,
)
from planner.families.sliced_chain.space import MOST_TRADED, ChainPlans
from planner.joins.shared.query_groups import BOTH, Group
from planner.numbers import amount, figure, shortened
from planner.workload.validation import listed

# From here on tuples that wait to be purged are worth a word.
MUCH_WAITING = 0.05
# From so many on, how the search was cut short is.
MANY_WINDOWS = 256


def answer(plans: ChainPlans, ranking: Ranking) -> str:
    """Which plan wins, by how much, because of what, and what comes close to it."""
    best = ranking.of(ranking.best)
    if ranking.by.name not in ("work", "seconds"):
        return plain_answer(ranking, plans.title)
    return answer_beside_baseline(
        ranking, plans.title, lambda: _because(plans, best.label), lambda: _nothing_shared(plans)
    )


def _because(plans: ChainPlans, label: str) -> str:
    held, alone = plans.cost(label).state_tuples, plans.cost("unshared").state_tuples
    counts = f"{figure(held)} tuples instead of {figure(alone)}"
    # Parts that are joined with many others are stored for each: push-down can hold more.
    stored, but = (
        (f"it holds {counts}, and ", "") if held <= alone else ("", f", but holds {counts}")
    )
    if figure(held) == figure(alone):
        stored, but = "", ""
    if label == PULL_UP:
        return f"{stored}routing all results costs less than more slices would{but}"
    if label == PUSH_DOWN:
        return f"{stored}each join gets only tuples that some query asks for{but}"
    return f"{stored}each tuple is probed once for all queries{but}"


def _nothing_shared(plans: ChainPlans) -> str:
    if all(len(chains.model.group.members) == 1 for chains in plans.chains):
        return "no two queries join the same streams in the same way: there is nothing to share"
    return "what queries have in common is less than routing and merging their results would cost"


def facts(plans: ChainPlans, label: str) -> Iterator[str]:
    """What is shared under this plan, or that nothing is."""
    reason = _nothing_shared(plans) if label == UNSHARED else _because(plans, label)
    yield f"{reason[0].upper()}{reason[1:]}."


def why(plans: ChainPlans) -> tuple[str, ...]:
    """Who shares, how the chain was found, what else was planned, and what is left out."""
    text: list[str] = []
    for chains in plans.chains:
        text += _group(chains.model.group)
        text += _survival(chains.model)
        text += _search(chains)
        text += _trade_off(chains)
    text += _equations(plans)
    text += [f"{label} is left out: {reason}." for label, reason in plans.excluded]
    if not plans.is_whole:
        text.append(
            f"There are {_many(plans.chain_count)} chains: listed are Mem-Opt, CPU-Opt, those next "
            f"to it and, up to {MOST_TRADED} windows, those of the trade-off."
        )
    for chains in plans.chains:
        text += _left_out(chains.model)
    return tuple(text)


def apart(plans: ChainPlans) -> tuple[str, ...]:
    """Which queries of several are planned apart from the others."""
    groups = [chains.model.group for chains in plans.chains]
    alone = [group for group in groups if len(group.members) == 1]
    return tuple(text for group in alone for text in _group(group)) if len(groups) > 1 else ()


def _many(count: int) -> str:
    """A number that may be too large for a float."""
    return f"{count:,}" if count < 10**9 else f"over 10^{len(str(count)) - 1}"


def _group(group: Group) -> Iterator[str]:
    names = listed(member.query for member in group.members)
    streams = f"{group.streams[0]} and {group.streams[1]} on {shortened(group.on)}"
    if len(group.members) == 1:
        yield f"{names} does not share: no other query joins {streams} with such windows."
        return
    count = len(group.boundaries) - 1
    unit = "seconds" if group.unit == "seconds" else "rows"
    yield (
        f"{names} share: they join {streams}, with {count} different windows up to "
        f"{group.text_of(group.boundaries[-1])} {unit}."
    )


def _survival(model: GroupModel) -> Iterator[str]:
    for side in BOTH:
        conditions = model.group.conditions(side)
        if not conditions:
            continue
        stored = model.stored[side]
        beyond = f"{100 * float(stored[-2]):.3g}%" if len(stored) > 1 else "all"
        yield (
            f"Of {model.group.streams[side]}, {beyond} survive into the last slice, by "
            f"{len(conditions)} different condition{'s' if len(conditions) > 1 else ''} evaluated "
            "once on arrival."
        )


def _search(chains: GroupChains) -> Iterator[str]:
    last = chains.edges.last
    if last < 2:
        return
    kept = len(chains.cheapest)
    edges = last * (last + 1) // 2
    yield (
        f"CPU-Opt keeps {kept} of {last} slices; the shortest path is exact over "
        f"{edges:,} possible slices."
    )
    if last >= MANY_WINDOWS:
        long = chains.edges.long
        yield (
            f"{long:,} of them are long enough for the quadrangle inequality to hold: of these few "
            "were priced."
            if long
            else "None is long enough for the quadrangle inequality to hold: all were priced."
        )


def _trade_off(chains: GroupChains) -> Iterator[str]:
    if chains.edges.last < 2:
        return
    if chains.edges.same_state:
        yield "All chains hold the same tuples: without filters the trade-off is one point."
        return
    low, high = chains.state(chains.every), chains.state(chains.cheapest)
    if high < 1.0001 * low:
        yield f"CPU-Opt holds no more than Mem-Opt: {amount(round(low, 1))} tuples."
        return
    yield (
        f"Mem-Opt holds {amount(round(low, 1))} tuples, CPU-Opt {amount(round(high, 1))}: merging "
        "slices keeps tuples that a selection between them would drop."
    )


def _equations(plans: ChainPlans) -> Iterator[str]:
    given = two_queries(plans.model)
    if given is None:
        return
    text = ", ".join(
        f"{amount(round(found.comparisons, 1))} for {name}"
        for name, found in (
            ("pull-up", pull_up(given)),
            ("push-down", push_down(given)),
            ("the chain", state_slice(given)),
        )
    )
    yield f"The paper's Equations 1 to 3 give {text} in comparisons/s."


def _left_out(model: GroupModel) -> Iterator[str]:
    group = model.group
    joined = {column for p in group.predicates for column in (p.left, p.right)}
    filtered = {f.column for m in group.members for c in m.conditions for f in c.filters}
    if both := sorted(joined & filtered):
        names = listed(map(str, both))
        yield f"Filters on {names}, by which is joined, are taken as independent of the join."
    kinds = {stream.arrivals.kind for stream in model.streams}
    if "pareto" in kinds:
        yield "Bursts are priced by their mean size."
    for side in BOTH:
        way = model.ways[side]
        waiting = way.rate * way.waits(1.0)
        held = way.per_length * model.length(group.largest[side])
        if waiting > MUCH_WAITING * held:
            yield (
                f"Tuples of {group.streams[side]} wait for a tuple of "
                f"{group.streams[1 - side]} to purge them: {amount(round(waiting, 1))} beyond the "
                f"window's {amount(round(held, 1))}."
            )
