"""Policies: when each switches, and that chance alone makes none of them switch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.adapt.observed import Observed, recent_rates
from planner.adapt.policies import POLICIES, Situation
from planner.adapt.switches import Adaptation
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.plan.objective import WORK
from planner.workload.adapt import Adapt, PolicyName
from planner.workload.workload import Workload

SAMPLE = Path(__file__).parents[3] / "sample_data" / "bursting-links.yaml"
# The best plan saves 100 comparisons a second.
NOW = Situation({"A": 10.0}, {"A": 10.0}, current=300.0, best=200.0, moving=0.0, by=WORK)


@pytest.mark.parametrize(
    ("policy", "now", "settings", "switches"),
    [
        ("never", NOW, Adapt(), False),
        ("always", NOW, Adapt(), True),
        ("always", replace(NOW, current=200.0), Adapt(), False),
        ("regret", NOW, Adapt(horizon=10), True),
        # In ten seconds it saves 1,000: less than moving takes.
        ("regret", replace(NOW, moving=1_000.0), Adapt(horizon=10), False),
        ("regret", replace(NOW, moving=999.0), Adapt(horizon=10), True),
        ("regret", NOW, Adapt(margin=0.34), False),
        ("threshold", NOW, Adapt(threshold=0.2), False),
        ("threshold", replace(NOW, rates={"A": 12.1}), Adapt(threshold=0.2), True),
        ("threshold", replace(NOW, rates={"A": 8.3}), Adapt(threshold=0.2), True),
        ("threshold", replace(NOW, rates={"A": 11.9}), Adapt(threshold=0.2), False),
    ],
)
def test_when_a_policy_switches(
    policy: PolicyName, now: Situation, settings: Adapt, switches: bool
) -> None:
    assert (POLICIES[policy](now, settings) is not None) == switches


def test_reasons_are_sentences_with_their_figures() -> None:
    settings = Adapt(horizon=60)
    dear = replace(NOW, moving=500.0)
    assert POLICIES["regret"](dear, settings) == (
        "the new plan is 1.5x cheaper now: it saves 6,000 comparisons in 60 s and costs 500"
    )
    faster = replace(NOW, rates={"A": 40.0})
    assert POLICIES["threshold"](faster, settings) == (
        "the rate of A went from 10 to 40 tuples/s; the new plan is 1.5x cheaper now"
    )


def _poisson(rates: list[float], seed: int) -> list[Observed]:
    chance = np.random.default_rng(seed)
    return [
        Observed(n * 10**6, (n + 1) * 10**6, {"A": int(chance.poisson(rate))})
        for n, rate in enumerate(rates)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_a_steady_rate_stays_what_it_was_and_a_change_is_seen_at_once(seed: int) -> None:
    steady = _poisson([30.0] * 40, seed)
    assert all(
        recent_rates(steady[:n], {"A": 30.0}, 20) == {"A": 30.0} for n in range(1, len(steady))
    )
    burst = _poisson([30.0] * 20 + [120.0], seed)
    assert recent_rates(burst, {"A": 30.0}, 20)["A"] == pytest.approx(120, rel=0.35)


def _adapting(policy: PolicyName) -> tuple[Workload, Adaptation]:
    workload = load_workload(SAMPLE.read_text())
    run = replace(workload.run, adapt=Adapt(policy))
    workload = replace(workload, run=run)
    chosen = family("join_order")
    return workload, Adaptation(chosen, workload, chosen.space(workload).best().label)


@pytest.mark.parametrize("policy", POLICIES)
def test_rates_as_declared_switch_nothing(policy: PolicyName) -> None:
    workload, adaptation = _adapting(policy)
    arrivals = {stream.name: round((stream.rate or 0) * 10) for stream in workload.streams}
    for number in range(5):
        adaptation.see(Observed(number * 10**7, (number + 1) * 10**7, arrivals))
        assert adaptation.decide((number + 1) * 10**7, number + 1) is None


@pytest.mark.parametrize("policy", ["threshold", "regret", "always"])
def test_a_burst_is_followed_there_and_back(policy: PolicyName) -> None:
    workload, adaptation = _adapting(policy)
    first = adaptation.label
    usual = {stream.name: round((stream.rate or 0) * 10) for stream in workload.streams}
    burst = usual | {"A": 40 * usual["A"]}
    for number, arrivals in enumerate([usual, burst, burst, usual, usual]):
        adaptation.see(Observed(number * 10**7, (number + 1) * 10**7, arrivals))
        adaptation.decide((number + 1) * 10**7, number + 1)
    there, back = adaptation.switches
    assert (there.batch, there.before, back.batch, back.after) == (2, first, 4, first)
