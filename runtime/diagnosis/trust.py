"""Whether to trust the model on a workload: what it predicted of plans beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from statistics import median
from typing import Literal

import numpy as np

from planner.families.registry import plan_title
from planner.numbers import percent_more, quoted, shortened, times
from planner.plan.cost import q_error
from planner.plan.objective import Objective
from runtime.runs.records import Run
from runtime.runs.run_groups import as_measured, is_timed, measured_scores, objective_of

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


def plain_title(run: Run) -> str:
    """What a run's plan is called where no plans are built."""
    return plan_title(run.plan.family, run.plan.label, run.workload)


def trust(
    runs: Sequence[Run], by: Objective | None = None, title: Callable[[Run], str] = plain_title
) -> Trust:
    """Judge the model by these runs, one of each plan: by an objective, else their family's.

    `title` says what people call the plan of a run.
    """
    found = measured_scores(runs, by)
    if not found:
        return Trust("unknown", "Nothing was measured that the model predicts.", 0)
    by = as_measured(objective_of(found[0][0], by))
    errors = [q_error(p, m) or float("inf") for _, p, m in found]
    typical, worst = median(errors), max(errors)
    near = typical <= TYPICAL and worst <= WORST
    if len(found) == 1:
        shown = f"q-error {_error(worst)}"
        sentence = (
            f"One plan was run, and the model is right about its {_quantity(by)} ({shown})"
            if near
            else f"One plan was run, and the model is wrong about its {_quantity(by)} ({shown})"
        )
        sentence += ": run another one to see whether the model picks the better one."
        return Trust("figures" if near else "nothing", sentence, 1, typical, worst)
    tau = kendall_tau([p for _, p, _ in found], [m for _, _, m in found])
    # A plan that can never be the best is no choice.
    rivals = [entry for entry in found if by.eligible(entry[0].plan.label)]
    if len(rivals) < 2:
        lead = _lead("all" if near else "nothing", by)
        sentence = f"{lead}: {_figures(len(found), typical, worst)}"
        sentence += "; run another plan to compare."
        return Trust("figures" if near else "nothing", sentence, len(found), typical, worst, tau)
    lost = regret([p for _, p, _ in rivals], [m for _, _, m in rivals], by)
    chosen = lost is not None and lost <= NEAR
    verdict: Verdict = (
        ("all" if chosen else "figures") if near else ("order" if chosen else "nothing")
    )
    sentence = (
        f"{_lead(verdict, by)}: {_figures(len(found), typical, worst)}, {_order(found, tau)}, "
    )
    sentence += f"and {_choice(rivals, lost, by, title)}."
    return Trust(verdict, sentence, len(found), typical, worst, tau, lost)


_LEADS: dict[Verdict, str] = {
    "all": "Trust the model's {quantity} here",
    "order": "Trust the model's choice by {quantity} here, but not its figures",
    "figures": "Trust the model's {quantity} here, but not its choice between close plans",
    "nothing": "Do not trust the model's {quantity} here",
}


def _lead(verdict: Verdict, by: Objective) -> str:
    return _LEADS[verdict].format(quantity=_quantity(by))


def _quantity(by: Objective) -> str:
    """What is judged: `comparisons`, `kernel seconds`, `mean delay`."""
    return f"{by.title[0].lower()}{by.title[1:]}".replace("/s", "", 1)


def _error(error: float) -> str:
    return "without bound" if error == float("inf") else f"{error:.3g}"


def _figures(plans: int, typical: float, worst: float) -> str:
    if _error(typical) == _error(worst) != _error(float("inf")):
        return f"q-error {_error(worst)} at most over {plans} plans"
    return f"q-error {_error(typical)} at the median of {plans} plans and {_error(worst)} at most"


def _order(found: Sequence[tuple[Run, float, float]], tau: float | None) -> str:
    """The rank agreement; where pairs are swapped, by how much they differ at most."""
    if tau is None:
        alike = len({expected for _, expected, _ in found}) == 1
        return "it predicts the same for all plans" if alike else "all plans cost the same"
    shown = f"rank agreement {tau:.2g} (Kendall's tau)"
    if tau == 1:
        shown = "plans in the predicted order (Kendall's tau 1)"
    parted = [
        max(one[2], other[2]) / min(one[2], other[2])
        for one, other in combinations(found, 2)
        if (one[1] - other[1]) * (one[2] - other[2]) < 0 and min(one[2], other[2]) > 0
    ]
    if not parted:
        return shown
    pairs = "a pair" if len(parted) == 1 else f"{len(parted)} pairs"
    differ = percent_more(max(parted), 1)
    verb = "is" if len(parted) == 1 else "are"
    return f"{shown}; {pairs} of plans {verb} swapped, at most {differ} apart"


def _choice(
    found: Sequence[tuple[Run, float, float]],
    lost: float | None,
    by: Objective,
    title: Callable[[Run], str],
) -> str:
    best, cheapest = (
        quoted(shortened(title(by.top(found, itemgetter(place))[0]), 60)) for place in (1, 2)
    )
    if lost is None:
        none = "cost nothing" if by.is_lowest else "was the best"
        return f"{cheapest} {none}, where {best} was predicted best"
    if lost == 1:
        word = "cheapest" if by.is_lowest and not by.better else "best"
        word = "fastest" if is_timed(by) else word
        return f"its choice ({best}) was the {word}"
    if not by.is_lowest:
        return f"its choice ({best}) had {by.behind(1.0, lost)} than {cheapest}"
    if is_timed(by):
        behind = by.behind(lost, 1.0)
        return f"its choice ({best}) took {behind} than {cheapest}"
    if by.better:
        # Of a delay nobody would say that it cost something.
        behind = by.behind(lost, 1.0)
        return f"the {by.title.lower()} of its choice ({best}) was {behind} than that of {cheapest}"
    over = f"{percent_more(lost, 1)} more than" if lost < 2 else f"{times(lost, 1)} as much as"
    return f"its choice ({best}) cost {over} {cheapest}"


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
