"""A part of `python -m bench diagnosis`: causes are named first, and quiet runs are silent."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest

from bench.diagnosis.accuracy import QUIET, DiagnosisCase, cases, judged, summary_of
from bench.diagnosis.injections import INJECTIONS
from bench.diagnosis.workloads import MAKERS
from planner.families.registry import FAMILIES
from runtime.diagnosis import chance

PAIRS = list(zip(INJECTIONS, cycle(MAKERS), strict=False))


def test_every_family_is_judged() -> None:
    assert set(MAKERS) == {known.name for known in FAMILIES}
    assert len(cases(2, 3, 0)) == len(MAKERS) * (2 * len(INJECTIONS) + 3)


@pytest.mark.parametrize(("cause", "family"), PAIRS)
def test_an_injected_cause_is_named_first(cause: str, family: str) -> None:
    found = judged(DiagnosisCase(family, cause, 1))
    assert found["first"], found["said"]


@pytest.mark.parametrize("family", MAKERS)
def test_nothing_is_said_where_nothing_was_injected(family: str) -> None:
    found = judged(DiagnosisCase(family, QUIET, 1))
    assert found["silent"], found["said"]


def test_shares_are_summed_up_by_family_and_cause() -> None:
    records = [
        {"family": name, "cause": cause, "first": number < 1, "named": True, "silent": True}
        for name in MAKERS
        for cause in (*INJECTIONS, QUIET)
        for number in range(2)
    ]
    found = summary_of(records)
    assert set(found["named first"]["join_order"].values()) == {0.5}
    assert set(found["named"]["join_order"].values()) == {1.0}
    assert found["silent of quiet runs"]["load_shedding"] == 1.0


def test_chance_is_as_large_as_it_is_drawn() -> None:
    """Deviations beside those of drawn shares."""
    random = np.random.default_rng(5)
    shares = np.arange(1, 21) ** -0.8
    shares /= shares.sum()
    rows = 400, 300
    left, right = (random.multinomial(n, shares, 2_000) / n for n in rows)
    share = float(shares @ shares)
    drawn = (left * right).sum(axis=1) / share
    usual = chance.of_equal_pairs(shares, shares, rows, share)
    assert drawn.std() == pytest.approx(usual, rel=0.1)
    assert left[:, 0].std() == pytest.approx(chance.of_share(shares[0], rows[0]), rel=0.1)
    few = random.multinomial(30, shares, 2_000) > 0
    seen, usually = chance.of_values_seen(shares, 30)
    assert few.sum(axis=1).mean() == pytest.approx(seen, rel=0.02)
    # Values compete for rows: seen by themselves, they vary a little more.
    assert few.sum(axis=1).std() < usually < 2 * few.sum(axis=1).std()
