"""Whether to trust the model: figures, order and choice, each judged by what was measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.families.registry import family
from planner.plan.cost import Cost, Measurement, Timings
from planner.plan.objective import STATE
from runtime.diagnosis.trust import Verdict, kendall_tau, regret, trust
from runtime.runs.records import KernelTime, Run
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
            "Trust the model's comparisons here: q-error 1.01 at the median of 3 plans and 1.02 "
            "at most, plans in the predicted order (Kendall's tau 1), and its choice (“S1 first, "
            "then S2, S3, S4”) was the cheapest.",
        ),
        (
            (3.0, 3.0, 3.0),
            "order",
            "Trust the model's choice by comparisons here, but not its figures: q-",
        ),
        (
            (1.08, 0.95, 1.0),
            "figures",
            "Trust the model's comparisons here, but not its choice between",
        ),
        ((30.0, 1.0, 1.0), "nothing", "Do not trust the model's comparisons here: q-error 1 at"),
        (
            (1.04,),
            "figures",
            "One plan was run, and the model is right about its comparisons (q-error",
        ),
        (
            (2.0,),
            "nothing",
            "One plan was run, and the model is wrong about its comparisons (q-error",
        ),
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


def test_time_is_judged_by_the_seconds_in_kernels() -> None:
    """Whatever the work says: 0.5 and 1 s are predicted, 2 and 1 s were measured."""
    by = family("join_order").space(run_of(LABELS[0], 1.0).workload).objective("seconds")
    runs = [
        replace(timed(run_of(label, 1.0), measured), predicted_kernel=KernelTime(expected, "here"))
        for label, expected, measured in zip(LABELS, (0.5, 1.0), (2.0, 1.0), strict=False)
    ]
    assert trust(runs).verdict == "all"
    found = trust(runs, by)
    assert found.verdict == "nothing"
    assert found.sentence.startswith("Do not trust the model's kernel seconds here: q-error 2.5 at")
    best = "its choice (“S1 first, then S2, S3, S4”) took 2x longer than"
    assert f"{best} “S1 first, then S2, S4, S3”." in found.sentence
    assert trust([timed(run, None) for run in runs], by).verdict == "unknown"


def timed(run: Run, kernel: float | None) -> Run:
    """The run with these seconds in kernels."""
    assert run.measurement is not None
    return replace(run, measurement=replace(run.measurement, timings=Timings(9.0, 8.0, kernel)))


def test_pairs_in_another_order_are_told_with_their_difference() -> None:
    found = trust(
        [run_of(label, share) for label, share in zip(LABELS, (30.0, 1.0, 1.0), strict=True)]
    )
    assert found.tau is not None
    assert found.tau < 1
    assert "2 pairs of plans are swapped, at most" in found.sentence
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
