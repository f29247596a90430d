"""`sweep --robust` as a JSON document and as text for people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from planner.numbers import amount, figure, shortened
from planner.report.plans_report import Document
from planner.report.plans_text import aligned
from planner.report.sweep_report import about_document, about_text
from planner.whatif.robust import RobustChoice

_MOST_ROWS = 10
# A plan within so much of the best everywhere has no regret.
_SAME = 1 + 1e-6


def robust_document(found: RobustChoice) -> Document:
    """The plans that were compared, and which to take."""
    return {
        "axes": [
            {"path": axis.path, "from": min(axis.values), "to": max(axis.values)}
            for axis in found.axes
        ],
        "rank_by": found.by.name,
        "unit": found.by.unit,
        "samples": found.samples,
        "least_worst_regret": found.safest,
        "best_expected": found.expected,
        "best_as_declared": found.nominal,
        "fluctuating_on_top": found.rule,
        **about_document(found.about),
        "plans": [
            {
                "label": own.plan,
                "worst_regret": own.worst if math.isfinite(own.worst) else None,
                "mean_regret": own.mean if math.isfinite(own.mean) else None,
                "expected": own.expected,
                "error": own.error,
                "wins": own.wins,
            }
            for own in found.plans
        ],
    }


def robust_text(found: RobustChoice) -> str:
    """Which plan to take, then the plans in a table."""
    heads = ["plan", "worst regret", "mean regret", f"expected {found.by.unit}", "+-"]
    shown = [
        [
            shortened(own.plan),
            f"{amount(own.worst)}x",
            f"{amount(own.mean)}x",
            amount(own.expected),
            amount(own.error),
        ]
        for own in found.plans[:_MOST_ROWS]
    ]
    head = about_text(found.about, found.by)
    return "\n".join([head, "", *sentences(found), "", *aligned(iter([heads, *shown]))])


def sentences(found: RobustChoice, name: Callable[[str], str] = shortened) -> Iterator[str]:
    """Which plan to take, and how the rule of the paper compares."""
    safest, expected = found.of(found.safest), found.of(found.expected)
    if safest.worst < _SAME:
        yield (
            f"{name(safest.plan)} is the best plan in all {found.samples:,} workloads drawn "
            "from the ranges."
        )
    else:
        yield _regret(found, name)
    same = " too" if expected.plan == safest.plan else ""
    yield (
        f"On average {name(expected.plan)} is the best{same}: {figure(expected.expected)} "
        f"{found.by.unit}, give or take {figure(expected.error)} (95% sure)."
    )
    if found.rule is not None:
        own = found.of(found.rule)
        yield (
            f"Placing the streams that fluctuate on top (Golab and Özsu, Section 5.4) gives "
            f"{name(own.plan)}: {figure(own.worst)}x the best at worst, "
            f"{figure(own.mean)}x on average."
        )


def _regret(found: RobustChoice, name: Callable[[str], str]) -> str:
    safest = found.of(found.safest)
    return (
        f"{name(safest.plan)} is the safest choice: at most {figure(safest.worst)}x the best in "
        f"{found.samples:,} workloads drawn from the ranges (the least worst regret)."
    )
