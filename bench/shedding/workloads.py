"""Star joins in the setting of the paper's experiments, and settings around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.families.load_shedding.star_tuples import MILLIONTHS, Integers, StarTuples
from planner.workload.execution import Execution
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import (
    Arrivals,
    Attribute,
    ImportanceOf,
    Relation,
    RelationChanges,
    Stream,
)
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class Setting:
    """R and S have a tuple a second each. `zipf` are the exponents of their keys, `churn` is how
    many rows come and go in a second; the rarest key has the importance `most`, others a part."""

    seconds: int = 800
    lifetime: int = 50
    zipf: tuple[float, float] = (1.0, 0.0)
    keys: int = 50
    rows: int = 250
    churn: float = 0.0
    most: float = 10.0

    @property
    def memories(self) -> tuple[int, int]:
        """Little and much: 10 and 40 of the 100 tuples that windows of 50 seconds hold."""
        return max(2, self.lifetime // 5), self.lifetime * 4 // 5


def star_join(setting: Setting) -> Workload:
    """The workload of a setting, with the little memory."""
    importance = Attribute(type="float", importance_of=ImportanceOf("key", most=setting.most))
    streams = tuple(
        Stream(
            name,
            1.0,
            {"key": Attribute(setting.keys, zipf=zipf), "importance": importance},
            Arrivals("regular", phase=0.0),
            importance="importance",
        )
        for name, zipf in zip("RS", setting.zipf, strict=True)
    )
    window = TimeWindow(setting.lifetime)
    query = Query(
        "Q1",
        (Source("R", "R", window), Source("F", "F", None), Source("S", "S", window)),
        (
            Predicate(Column("R", "key"), "=", Column("F", "a")),
            Predicate(Column("F", "b"), "=", Column("S", "key")),
        ),
    )
    keys = Attribute(setting.keys)
    changes = RelationChanges(setting.churn, setting.churn)
    relation = Relation("F", setting.rows, {"a": keys, "b": keys}, changes, distinct_rows=True)
    execution = Execution(memory=setting.memories[0])
    return Workload("star", streams, (query,), relations=(relation,), execution=execution)


def true_rates(setting: Setting, tuples: StarTuples) -> list[Integers]:
    """What each tuple gains on average at an arrival of the other stream, in millionths: by the
    frequencies that tuples are drawn with, rounded up to thousandths. Rows must not change."""
    ranks = np.arange(1, setting.keys + 1)
    importance = setting.most * ranks / setting.keys
    shares = [ranks**-zipf / (ranks**-zipf).sum() for zipf in setting.zipf]
    assert tuples.keys == setting.keys, "every key occurs, so that numbers are ranks"
    rates = []
    for place, own in enumerate(tuples.arms):
        mine, other = tuples.rows[:, place], tuples.rows[:, 1 - place]
        gains = shares[1 - place][other] * np.minimum(importance[mine], importance[other])
        by_key = np.bincount(mine, weights=gains, minlength=setting.keys)
        rates.append(np.ceil(by_key[own.key] * 1000).astype(np.int64) * (MILLIONTHS // 1000))
    return rates
