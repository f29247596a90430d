"""Policies: when each switches, and that chance alone makes none of them switch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.adapt.observed import Observed, recent_rates
from planner.adapt.policies import POLICIES, Situation
from planner.adapt.switches import Adaptation, OutOfReach
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.plan.objective import WORK
from planner.statistics.observed import Likely, ValueStatistics
from planner.workload.adapt import Adapt, PolicyName
from planner.workload.execution import RunSettings
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


def _stepped(adaptation: Adaptation, batches: list[tuple[dict[str, int], ValueStatistics]]) -> None:
    for number, (arrivals, values) in enumerate(batches):
        adaptation.see(Observed(number * 10**7, (number + 1) * 10**7, arrivals, values=values))
        adaptation.decide((number + 1) * 10**7, number + 1)


TRIANGLE = load_workload("""
version: 1
name: a triangle
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 50}, j: {distinct: 50}}}
  - {name: B, rate: 10, attributes: {k: {distinct: 50}, m: {distinct: 40}}}
  - {name: C, rate: 10, attributes: {m: {distinct: 40}, j: {distinct: 50}}}
queries:
  - name: Q
    text: >-
      SELECT * FROM A [RANGE 10], B [RANGE 10], C [RANGE 10]
      WHERE A.k = B.k AND B.m = C.m AND A.j = C.j
run: {adapt: {policy: regret}}
""")


def _of_triangle(*seen: ValueStatistics) -> Adaptation:
    chosen = family("join_order")
    adaptation = Adaptation(chosen, TRIANGLE, chosen.space(TRIANGLE).best().label)
    _stepped(adaptation, [({"A": 100, "B": 100, "C": 100}, values) for values in seen])
    return adaptation


def test_pairs_that_match_more_often_switch_the_plan_though_no_rate_has_changed() -> None:
    assumed = ValueStatistics(pairs={"A.k = B.k": Likely(0.02, 0.015, 0.025)})
    often = ValueStatistics(pairs={"A.k = B.k": Likely(0.5, 0.48, 0.52)})
    adaptation = _of_triangle(assumed, often)
    (made,) = adaptation.switches
    assert made.batch == 2
    assert "50% of pairs match by A.k = B.k, not 2%; the new plan is" in made.reason
    # Few tuples may show anything.
    unsure = ValueStatistics(pairs={"A.k = B.k": Likely(0.5, 0.1, 0.9)})
    assert not _of_triangle(unsure, unsure).switches


def test_tuples_that_come_together_do_not_look_like_another_rate() -> None:
    singles = Observed(0, 10**7, {"A": 400})
    assert recent_rates([singles], {"A": 300.0 / 10}, 60)["A"] == 40
    bursts = replace(singles, bursts={"A": 5.0})
    assert recent_rates([bursts], {"A": 300.0 / 10}, 60)["A"] == 30
    # Nor where they are declared: as many bursts as ever have come, one of which was a large one.
    large = Observed(0, 10**7, {"A": 4_000}, {"A": 40.0})
    assert recent_rates([large], {"A": 100.0}, 60, {"A": 10.0})["A"] == 100
    more = Observed(0, 10**7, {"A": 4_000}, {"A": 10.0})
    assert recent_rates([more], {"A": 100.0}, 60, {"A": 10.0})["A"] == 400


def test_a_stream_that_falls_silent_does_not_stop_decisions() -> None:
    workload, adaptation = _adapting("regret")
    usual = {stream.name: round((stream.rate or 0) * 10) for stream in workload.streams}
    silent = {"A": 40 * usual["A"], "B": 0, "C": usual["C"]}
    _stepped(adaptation, [(silent, ValueStatistics())] * 3)
    assert adaptation.switches
    assert recent_rates([Observed(0, 10**7, {})], {"A": 50.0}, 60) == {"A": 0.1}


def test_a_better_plan_that_is_out_of_reach_is_named_and_the_next_best_taken() -> None:
    workload = replace(
        load_workload(SAMPLE.read_text()), run=replace(RunSettings(), adapt=Adapt("regret"))
    )
    chosen = family("join_order")
    usual = {stream.name: round((stream.rate or 0) * 10) for stream in workload.streams}
    burst = usual | {"A": 40 * usual["A"]}
    first = chosen.space(workload).best().label
    free = Adaptation(chosen, workload, first)
    _stepped(free, [(burst, ValueStatistics())])
    wanted = free.switches[0].after

    bound = Adaptation(
        chosen, workload, first, why_not=lambda plan: "too far" if plan.label == wanted else None
    )
    _stepped(bound, [(burst, ValueStatistics())])
    assert bound.switches[0].after not in (first, wanted)
    assert bound.out_of_reach[wanted] == OutOfReach(10**7, wanted, "too far")
    stuck = Adaptation(chosen, workload, first, why_not=lambda _: "too far")
    _stepped(stuck, [(burst, ValueStatistics())] * 3)
    assert not stuck.switches
    assert list(stuck.out_of_reach) == [wanted]


def test_a_plan_goes_on_where_none_has_a_price() -> None:
    workload = load_workload("""
version: 1
name: a load
streams:
  - {name: A, rate: 8, attributes: {k: {distinct: 4}}}
  - {name: B, rate: 8, attributes: {k: {distinct: 4}}}
queries: [{name: Q, text: "SELECT * FROM A [RANGE 1], B [RANGE 1] WHERE A.k = B.k"}]
execution: {utilisation: 0.7, unit_costs: {compare: 1e-6}}
run: {adapt: {policy: always, horizon: 1}}
""")
    chosen = family("shared_schedule")
    rare = {stream.name: 1 for stream in workload.streams}
    slow = replace(
        workload, streams=tuple(replace(stream, rate=1e-6) for stream in workload.streams)
    )
    assert "on the clock of work" in (chosen.refuses(slow) or "")
    adaptation = Adaptation(chosen, workload, chosen.space(workload).best().label)
    adaptation.see(Observed(0, 10**12, rare))
    assert adaptation.decide(10**12, 1) is None
