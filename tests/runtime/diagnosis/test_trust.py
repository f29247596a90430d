"""Whether to trust the model: figures, order and choice, each judged by what was measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.families.registry import family
from planner.plan.cost import Cost, Measurement, Timings
from planner.plan.objective import STATE
from runtime.diagnosis.trust import Verdict, kendall_tau, regret, trust
from runtime.runs.records import Run
from tests.runtime.run_records import a_run

LABELS = ("S1,S2,S3,S4", "S1,S2,S4,S3", "S4,S3,S2,S1")


def run_of(label: str, share: float) -> Run:
    """A run whose comparisons were this share of those predicted."""
    run = a_run(label)
    plan = family("join_order").space(run.workload).plan(label)
    estimate = family("join_order").space(run.workload).estimate(plan)
    costs = {name: Cost(comparisons=c.comparisons * share) for name, c in estimate.costs.items()}
    measured = Measurement(costs, {}, Timings(3.0, 2.0, 1.0), {}, {}, {})
    return replace(run, plan=plan, estimate=estimate, measurement=measured)


@pytest.mark.parametrize(
    ("shares", "verdict", "told"),
    [
        (
            (1.0, 1.02, 1.01),
            "all",
            "Trust the model here: q-error 1.01 at the median of 3 plans and 1.02 at the worst, "
            "rank agreement 1 (Kendall's tau), and the plan that it calls best, S1,S2,S3,S4, "
            "was the cheapest of them.",
        ),
        ((3.0, 3.0, 3.0), "order", "Trust the model's choice here, not its figures: q-error 3 at"),
        ((1.08, 0.95, 1.0), "figures", "Trust the model's figures here, not its choice between"),
        ((30.0, 1.0, 1.0), "nothing", "Do not trust the model here: q-error 1 at the median"),
        ((1.04,), "figures", "One plan was run, and the model is right about it (q-error 1.04)"),
        ((2.0,), "nothing", "One plan was run, and the model is wrong about it (q-error 2)"),
        ((0.0, 1.0), "order", "q-error without bound at the median"),
    ],
)
def test_the_verdict_follows_from_what_was_measured(
    shares: tuple[float, ...], verdict: Verdict, told: str
) -> None:
    runs = [run_of(label, share) for label, share in zip(LABELS, shares, strict=False)]
    found = trust(runs)
    assert found.verdict == verdict
    assert told in found.sentence
    assert found.plans == len(shares)


def test_pairs_in_another_order_are_told_with_their_difference() -> None:
    found = trust(
        [run_of(label, share) for label, share in zip(LABELS, (30.0, 1.0, 1.0), strict=True)]
    )
    assert found.tau is not None
    assert found.tau < 1
    assert "2 pairs in another order that differ by" in found.sentence
    assert found.regret is not None
    assert found.regret > 10
    assert f"cost {found.regret:.2g}x as much as" in found.sentence


def test_nothing_measured_is_no_verdict() -> None:
    assert trust([]).verdict == "unknown"
    assert trust([a_run("failed", status="failed")]).plans == 0


def test_rank_agreement_and_regret() -> None:
    assert kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)
    assert kendall_tau([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / (2 * 3) ** 0.5)
    assert kendall_tau([1, 1], [1, 2]) is None
    assert kendall_tau([1.0, 1.0 + 1e-15, 2], [5, 4, 6]) == kendall_tau([1, 1, 2], [5, 4, 6])
    assert regret([1, 2], [0, 0], STATE) == 1
    assert regret([1, 2], [3, 0], STATE) is None
