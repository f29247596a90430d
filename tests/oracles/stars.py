"""Star joins by their definition: every combination of tuples and rows, looked at one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from planner.families.load_shedding.star import Star
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table


def results(star: Star, tables: Mapping[str, Table]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The members of each result, a row of every arm's table, and the least importance of them."""
    columns = [_columns(star, arm.source.name, arm.key.attribute, tables) for arm in star.arms]
    for members in product(*(range(len(tables[arm.source.name])) for arm in star.arms)):
        chosen = [column[member] for column, member in zip(columns, members, strict=True)]
        times = [ts for ts, _, _ in chosen]
        alive = all(
            max(times) - ts < arm.lifetime for ts, arm in zip(times, star.arms, strict=True)
        )
        keys = [key for _, key, _ in chosen]
        if alive and None not in keys:
            for _ in range(_rows(star, tables, keys, times)):
                yield members, min(importance for _, _, importance in chosen)


def kept_results(
    star: Star, tables: Mapping[str, Table], leaves: Mapping[str, np.ndarray]
) -> tuple[int, int]:
    """How many results have all older members kept until the last one comes, and their worth."""
    count = worth = 0
    for members, importance in results(star, tables):
        times = [
            int(tables[arm.source.name].ts[member])
            for arm, member in zip(star.arms, members, strict=True)
        ]
        stay = [
            ts == max(times) or max(times) < leaves[arm.source.alias][member]
            for arm, member, ts in zip(star.arms, members, times, strict=True)
        ]
        if all(stay):
            count, worth = count + 1, worth + importance
    return count, worth


def _columns(
    star: Star, name: str, key: str, tables: Mapping[str, Table]
) -> list[tuple[int, int | None, int]]:
    arm = next(arm for arm in star.arms if arm.source.name == name)
    table = tables[name]
    values = _listed(table.columns[key])
    weights = [1.0] * len(table)
    if arm.importance is not None:
        weights = table.columns[arm.importance].values.tolist()
    return [
        (ts, value, round(weight * 1_000_000))
        for ts, value, weight in zip(table.ts.tolist(), values, weights, strict=True)
    ]


def _listed(data: ColumnData) -> list[int | None]:
    valid = [True] * len(data.values) if data.valid is None else data.valid.tolist()
    return [v if there else None for v, there in zip(data.values.tolist(), valid, strict=True)]


def _rows(star: Star, tables: Mapping[str, Table], keys: list[int | None], times: list[int]) -> int:
    """How many rows join the keys and are active at all times."""
    if star.relation is None:
        return int(len(set(keys)) == 1)
    table = tables[star.relation.name]
    begin = np.full(len(table), FIRST) if table.begin is None else table.begin
    end = np.full(len(table), LAST) if table.end is None else table.end
    active = (begin <= min(times)) & (max(times) < end)
    for arm, key in zip(star.arms, keys, strict=True):
        assert arm.joined is not None
        active &= table.columns[arm.joined.attribute].values == key
    return int(active.sum())
