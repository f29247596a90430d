"""Whether to trust the model on a workload: what it predicted of plans beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Literal

import numpy as np

from planner.numbers import percent_more, shortened, times
from planner.plan.cost import q_error
from planner.plan.objective import Objective
from runtime.runs.records import Run
from runtime.runs.run_groups import measured_scores, objective_of

Verdict = Literal["all", "order", "figures", "nothing", "unknown"]

# Figures are trusted up to this q-error: at the median over plans, and of the worst plan.
TYPICAL, WORST = 1.1, 1.25
# A choice is trusted where the predicted best plan cost at most this times the measured best.
NEAR = 1.05
# Plans of one cost may differ in the last bits of a sum: these digits decide an order.
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Trust:
    """What can be trusted, in one word and one sentence, and the figures behind it.

    `tau` is the rank agreement, `regret` how many times the cheapest plan's cost the predicted best
    one had; None where fewer than two plans were run, or costs were all alike or nothing.
    """

    verdict: Verdict
    sentence: str
    plans: int
    typical_error: float | None = None
    worst_error: float | None = None
    tau: float | None = None
    regret: float | None = None


def trust(runs: Sequence[Run], by: Objective | None = None) -> Trust:
    """Judge the model by these runs, one of each plan: by an objective, else their family's."""
    found = measured_scores(runs, by)
    if not found:
        return Trust("unknown", "Nothing was measured that the model could be held against.", 0)
    errors = [q_error(p, m) or float("inf") for _, p, m in found]
    typical, worst = median(errors), max(errors)
    near = typical <= TYPICAL and worst <= WORST
    if len(found) == 1:
        shown = f"q-error {_error(worst)}"
        sentence = (
            f"One plan was run, and the model is right about it ({shown})"
            if near
            else f"One plan was run, and the model is wrong about it ({shown})"
        )
        sentence += ": run another to see whether it orders them as measured."
        return Trust("figures" if near else "nothing", sentence, 1, typical, worst)
    by = objective_of(found[0][0], by)
    tau = kendall_tau([p for _, p, _ in found], [m for _, _, m in found])
    # A plan that can never be the best is no choice.
    rivals = [entry for entry in found if by.eligible(entry[0].plan.label)]
    if len(rivals) < 2:
        sentence = f"{_LEADS['all' if near else 'nothing']}: {_figures(len(found), typical, worst)}"
        sentence += "; run another plan to choose from."
        return Trust("figures" if near else "nothing", sentence, len(found), typical, worst, tau)
    lost = regret([p for _, p, _ in rivals], [m for _, _, m in rivals], by)
    chosen = lost is not None and lost <= NEAR
    verdict: Verdict = (
        ("all" if chosen else "figures") if near else ("order" if chosen else "nothing")
    )
    sentence = f"{_LEADS[verdict]}: {_figures(len(found), typical, worst)}, {_order(found, tau)}, "
    sentence += f"and {_choice(rivals, lost, by)}."
    return Trust(verdict, sentence, len(found), typical, worst, tau, lost)


_LEADS: dict[Verdict, str] = {
    "all": "Trust the model here",
    "order": "Trust the model's choice here, not its figures",
    "figures": "Trust the model's figures here, not its choice between plans so near",
    "nothing": "Do not trust the model here",
}


def _error(error: float) -> str:
    return "without bound" if error == float("inf") else f"{error:.3g}"


def _figures(plans: int, typical: float, worst: float) -> str:
    return (
        f"q-error {_error(typical)} at the median of {plans} plans and {_error(worst)} at the worst"
    )


def _order(found: Sequence[tuple[Run, float, float]], tau: float | None) -> str:
    """The rank agreement; where pairs stand in another order, by how much they differ at most."""
    if tau is None:
        return "plans that are all alike"
    shown = f"rank agreement {tau:.2g} (Kendall's tau)"
    parted = [
        max(one[2], other[2]) / min(one[2], other[2])
        for one, other in combinations(found, 2)
        if (one[1] - other[1]) * (one[2] - other[2]) < 0 and min(one[2], other[2]) > 0
    ]
    if not parted:
        return shown
    pairs = "a pair" if len(parted) == 1 else f"{len(parted)} pairs"
    differ = percent_more(max(parted), 1)
    return f"{shown}, {pairs} in another order that differ by {differ} at most"


def _choice(found: Sequence[tuple[Run, float, float]], lost: float | None, by: Objective) -> str:
    best = shortened(by.top(found, lambda entry: entry[1])[0].plan.label, 40)
    first = by.top(found, lambda entry: entry[2])
    cheapest = shortened(first[0].plan.label, 40)
    if lost is None:
        none = "cost nothing" if by.is_lowest else "was the best"
        return f"{cheapest} {none}, where {best} was predicted best"
    if lost == 1:
        word = "cheapest" if by.is_lowest and not by.better else "best"
        return f"the plan that it calls best, {best}, was the {word} of them"
    if not by.is_lowest:
        return f"the plan that it calls best, {best}, had {by.behind(1.0, lost)} than {cheapest}"
    if by.better:
        # Of a delay nobody would say that it cost something.
        behind = by.behind(lost, 1.0)
        return f"{by.title.lower()} of {best}, which it calls best, was {behind} than of {cheapest}"
    over = f"{percent_more(lost, 1)} more than" if lost < 2 else f"{times(lost, 1)} as much as"
    return f"the plan that it calls best, {best}, cost {over} {cheapest}"


def kendall_tau(predicted: Sequence[float], measured: Sequence[float]) -> float | None:
    """Kendall's tau-b: 1 where all pairs are in the same order, -1 where all are in the other.

    None where there is no order: fewer than two plans, or all of them alike in one of the two.
    """
    first, second = (
        np.sign(np.subtract.outer(values, values))
        for values in (
            np.array([float(f"{value:.{_DIGITS}g}") for value in figures])
            for figures in (predicted, measured)
        )
    )
    pairs = np.sqrt(float((first**2).sum()) * float((second**2).sum()))
    return float((first * second).sum() / pairs) if pairs else None


def regret(predicted: Sequence[float], measured: Sequence[float], by: Objective) -> float | None:
    """How many times worse the plan predicted best was than the one measured best.

    Of plans predicted alike the first one counts. None where the cheapest cost nothing.
    """
    chosen, best = measured[predicted.index(by.top(predicted, float))], by.top(measured, float)
    if chosen == best:
        return 1.0
    larger, smaller = by.sides(chosen, best)
    return larger / smaller if smaller > 0 else None
