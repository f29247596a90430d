"""The ledger of shared joins: what plans cost, and which query reads which slice."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.families.sliced_chain import chain_view
from pages.parts.families.sliced_chain.chain_text import bounds, unit_of
from pages.parts.shared import charts, controls
from pages.parts.shared.formatting import compared, plain, rounded_each
from planner.families.sliced_chain.picture import KINDS, MADE_FOR, Balance, DrawnJoin, Picture
from planner.numbers import shortened, unique_names
from planner.plan.cost import Estimate
from planner.plan.operator_names import join_of, operator_name
from planner.plan.plan import Operator, Plan
from planner.workload.validation import exact

# With more slices a table of who reads what has too many columns.
MOST_COLUMNS = 60
_WHOLE, _PART, _NOTHING = "●", "◐", ""


def show(choice: PlanChoice) -> None:
    """The strategies compared, the joins of the chosen plan, and which query reads which."""
    workload, ranking, label = choice.workload, choice.ranking, choice.label
    named = chain_view.strategies(ranking, label)
    found = chain_view.balances(workload, tuple(named.values()))
    st.markdown("**Memory and CPU compared with the other strategies**")
    controls.table(
        balance_table(list(named), found, ranking.by.title),
        "Strategies with what each should hold and do",
        numbers=(ranking.by.title, "Tuples held", "Bytes held", "Joins"),
    )
    for left_out, why in ranking.excluded:
        st.caption(f"{plain(left_out)} is left out: {plain(why, 300)}.")
    picture = chain_view.pick_group(chain_view.pictures(workload, label), "ledger-group")
    st.markdown("**What each join holds, and how many queries read it**")
    controls.table(
        join_table(picture),
        f"Joins of {label}",
        numbers=(*_held(picture), "Bytes held", "Probing/s", "Queries"),
    )
    st.markdown("**Which query reads which join**")
    if len(picture.joins) > MOST_COLUMNS:
        st.caption(
            f"{len(picture.joins):,} joins are too many for this table. The table above counts the "
            "queries that read each."
        )
        return
    reading = reading_table(picture)
    controls.table(reading, "Which query reads which join")
    st.caption(
        f"{_WHOLE} the query reads all results of the slice that match its conditions; {_PART} it "
        "reads some of them, because its window ends inside the slice."
    )


def balance_table(names: Sequence[str], found: Sequence[Balance], score: str) -> pd.DataFrame:
    """One row per strategy: joins, memory and CPU, both also compared with unshared."""
    alone = found[0]
    return pd.DataFrame(
        {
            "Plan": [shortened(name, 60) for name in names],
            "Joins": [balance.joins for balance in found],
            "Tuples held": rounded_each([balance.cost.state_tuples for balance in found]),
            "Bytes held": [round(balance.state_bytes) for balance in found],
            "Memory against unshared": [
                compared(balance.cost.state_tuples, alone.cost.state_tuples) for balance in found
            ],
            score: rounded_each([balance.score for balance in found]),
            "CPU against unshared": [compared(balance.score, alone.score) for balance in found],
        }
    )


def join_table(picture: Picture) -> pd.DataFrame:
    """One row per join: bounds, which tuples it keeps, how many, and who reads it."""
    joins = picture.joins
    first, second = _held(picture)
    columns: dict[str, object] = {}
    if any(join.name for join in joins):
        columns["Join"] = [shortened(join.name, 60) for join in joins]
    return pd.DataFrame(
        {
            **columns,
            f"Ages ({unit_of(picture)})": [bounds(join) for join in joins],
            "Keeps": [_entry(picture, join) for join in joins],
            first: rounded_each([join.tuples[0] for join in joins]),
            second: rounded_each([join.tuples[1] for join in joins]),
            "Bytes held": [round(sum(join.bytes)) for join in joins],
            "Probing/s": rounded_each([join.entering for join in joins]),
            "Queries": [len(join.queries) for join in joins],
            "Windows inside": [_windows(join) for join in joins],
            "Selections": [shortened("; ".join(join.selections) or "none") for join in joins],
        }
    )


def _held(picture: Picture) -> list[str]:
    return [f"{shortened(stream, 20)} held" for stream in picture.streams]


def _entry(picture: Picture, join: DrawnJoin) -> str:
    if set(join.entry) == {"all"}:
        return "all"
    pairs = zip(picture.streams, join.entry, strict=True)
    return shortened("; ".join(f"{stream}: {entry}" for stream, entry in pairs), 80)


def _windows(join: DrawnJoin) -> str:
    return shortened(", ".join(map(exact, join.inside))) if join.inside else "none"


def reading_table(picture: Picture) -> pd.DataFrame:
    """One row per query, by its window; one column per join."""
    queries = [(query, tap) for tap in picture.taps for query in tap.queries]
    columns: dict[str, list[str]] = {
        "Query": [query for query, _ in queries],
        f"Window ({unit_of(picture)})": [
            " / ".join(exact(window) for window in dict.fromkeys(tap.windows)) for _, tap in queries
        ],
    }
    for name, join in zip(_short_names(picture), picture.joins, strict=True):
        members, routed = set(join.queries), set(join.routed)
        columns[name] = [
            _PART if query in routed else _WHOLE if query in members else _NOTHING
            for query, _ in queries
        ]
    return pd.DataFrame(columns)


def _short_names(picture: Picture) -> list[str]:
    if picture.is_chain:
        return [bounds(join) for join in picture.joins]
    return unique_names([f"{shortened(join.name, 30)} {bounds(join)}" for join in picture.joins])


MOST_BARS = 40
UNIONS = "unions of all queries"


def show_work(plan: Plan, estimate: Estimate) -> None:
    """A bar for each join, one for each stream's conditions, and one for all unions."""
    every = of_joins(plan, estimate)
    largest = sorted(every, key=lambda bar: -sum(bar[1].values()))[:MOST_BARS]
    bars = [bar for bar in every if bar in largest]
    charts.show_work(bars, KINDS, "comparisons")
    if len(bars) < len(every):
        st.caption(f"The {len(bars)} largest of {len(every)}.")


def of_joins(plan: Plan, estimate: Estimate) -> list[tuple[str, dict[str, float]]]:
    """The comparisons at each place of the plan, in the order in which tuples reach it."""
    found: dict[str, dict[str, float]] = {}
    names: dict[str, str] = {}
    for operator in plan.operators():
        kind, comparisons = MADE_FOR.get(operator.kind), estimate.costs[operator.id].comparisons
        if kind is not None and comparisons:
            place, name = _place(operator)
            names[place] = name
            work = found.setdefault(place, {})
            work[kind] = work.get(kind, 0.0) + comparisons
    return list(zip(unique_names(list(names.values())), found.values(), strict=True))


def _place(operator: Operator) -> tuple[str, str]:
    """The key of a bar and its name: joins of different parts of the streams can share a name."""
    if operator.kind == "union":
        return UNIONS, UNIONS
    shown = join_of(operator) or operator
    return shown.id, operator_name(shown)
