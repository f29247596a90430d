"""Wang et al. 2006: what chains of slices save (Figure 11), what strategies hold and how fast they
are in the settings of Table 3 (Figures 17 and 18), and Mem-Opt against CPU-Opt (Figure 19).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, TypeVar

from planner.experiments.experiment import Curve, Place, Point, Quantity, Surface, curves_by_model
from planner.experiments.wang.workloads import (
    LARGEST,
    Spread,
    many_joins,
    three_joins,
    windowed_joins,
)
from planner.families.sliced_chain import NAME, published_model
from planner.families.sliced_chain.labels import MEM_OPT, PULL_UP, PUSH_DOWN
from planner.families.sliced_chain.published_model import TwoQueries
from planner.families.sliced_chain.space import ChainPlans
from planner.workload.workload import Workload

T = TypeVar("T")


# --- Figure 11: savings --------------------------------------------------------------------------

EXPECTED = "expected counts"
EQUATION_4 = "Equation 4, as printed"
LINEAR_TERMS = "Equations 1 to 3, with terms in λ"
# Of either stream, in what is measured.
_TUPLES = 1200.0
_GRID = tuple(round(step / 20, 2) for step in range(1, 20))
_FIELDS: dict[Quantity, str] = {"state_tuples": "state", "comparisons": "comparisons"}
_EQUATIONS = {PULL_UP: published_model.pull_up, PUSH_DOWN: published_model.push_down}
# What is saved by the ratio of the windows and the share that passes the filter.
Saving = Callable[[float, float], float]


def savings(
    quantity: Quantity,
    against: str,
    joined: float,
    rate: float,
    filtered: Sequence[float],
    ratios: Sequence[float],
) -> tuple[Curve, ...]:
    """What a chain saves of a quantity: a curve for each share that passes, under each model.

    `against` is the strategy beside it, `joined` the share of pairs that join, `rate` that of
    either stream.
    """
    models = _printed_savings(quantity, against, joined, rate)
    points: dict[tuple[str, str], list[Point]] = {}
    for passing, ratio in product(filtered, ratios):
        windows = (round(ratio * LARGEST, 3), LARGEST)
        name = f"Figure 11, ρ = {ratio:g}, Sσ = {passing:g}, S⋈ = {joined:g}, {rate:g}/s"
        seconds = _TUPLES / rate
        workload = windowed_joins(name, rate, windows, (1.0, passing), joined, seconds=seconds)
        plans = ChainPlans(workload)
        label = plans.meant(MEM_OPT)
        own, other = (getattr(plans.cost(plan), quantity) for plan in (label, against))
        saved = {EXPECTED: 1 - own / other}
        saved |= {model: saving(ratio, passing) for model, saving in models.items()}
        for model, share in saved.items():
            point = Point(ratio, workload, NAME, label, predicted=share, against=against)
            points.setdefault((model, _subject(passing)), []).append(point)
    return curves_by_model(points)


def savings_surface(
    quantity: Quantity, against: str, joined: float, rate: float, filtered: Sequence[float]
) -> Surface:
    """The paper's models over all window ratios and filters."""
    return Surface(
        x=_GRID,
        y=_GRID,
        y_title="Sσ: share that passes the filter",
        heights={
            model: tuple(tuple(saved(x, y) for x in _GRID) for y in _GRID)
            for model, saved in _printed_savings(quantity, against, joined, rate).items()
        },
        levels={_subject(passing): passing for passing in filtered},
    )


def _printed_savings(
    quantity: Quantity, against: str, joined: float, rate: float
) -> dict[str, Saving]:
    """The paper's models; of memory they are the same."""
    field = _FIELDS[quantity]

    def equation_4(ratio: float, filtered: float) -> float:
        """As printed: without the terms that grow with the rate alone."""
        found = published_model.savings(ratio, filtered, joined)
        return float(getattr(found, f"{field}_of_{against.replace('-', '_')}"))

    def with_linear_terms(ratio: float, filtered: float) -> float:
        """From Equations 1 to 3 whole, at this rate."""
        given = TwoQueries(rate, ratio * LARGEST, LARGEST, filtered, joined)
        chain, other = published_model.state_slice(given), _EQUATIONS[against](given)
        return 1 - float(getattr(chain, field) / getattr(other, field))

    if quantity == "state_tuples":
        return {EQUATION_4: equation_4}
    return {EQUATION_4: equation_4, LINEAR_TERMS: with_linear_terms}


def _subject(filtered: float) -> str:
    return f"Sσ = {filtered:g}"


# --- Figures 17 to 19: memory and service rates --------------------------------------------------

COMPARISONS = "comparisons"
# What a tuple that enters a slice costs the kernel beside its comparisons, in comparisons: these
# are cheap, 64 keys at a time. About what `python -m bench chain-accuracy` fits.
KERNEL_C_SYS = 125.0
WITH_OVERHEAD = f"comparisons and C_sys = {KERNEL_C_SYS:g}"
_OVERHEADS = {COMPARISONS: 0.0, WITH_OVERHEAD: KERNEL_C_SYS}
# How windows are spread, their seconds, and the shares that pass the filter and that join.
Setting = tuple[str, Sequence[float], float, float]


def memory(
    strategies: Mapping[str, str], settings: Mapping[str, Any], rates: Sequence[float]
) -> tuple[Curve, ...]:
    """Tuples held under each strategy, in settings of Table 3."""
    points: dict[tuple[str, str], list[Point]] = {}
    for x, (setting, rate) in _placed(_table_3(**settings), rates).items():
        workload = three_joins(*setting, rate)
        plans = ChainPlans(workload)
        for subject, plan in strategies.items():
            label = plans.meant(plan)
            held = plans.cost(label).state_tuples
            point = Point(x, workload, NAME, label, predicted=held)
            points.setdefault(("expected tuples", subject), []).append(point)
    return curves_by_model(points)


def service(
    strategies: Mapping[str, str], settings: Mapping[str, Any], rates: Sequence[float]
) -> tuple[Curve, ...]:
    """Service rates beside pull-up's, in settings of Table 3."""
    placed = _placed(_table_3(**settings), rates)
    workloads = {(x, 0.0): three_joins(*setting, rate) for x, (setting, rate) in placed.items()}
    plans = {subject: (plan, 0.0) for subject, plan in strategies.items()}
    return curves_by_model(_rates_beside(PULL_UP, plans, workloads))


def chains(
    chains: Mapping[str, tuple[str, float]],
    spreads: Sequence[Spread],
    queries: Sequence[int],
    rates: Sequence[float],
) -> tuple[Curve, ...]:
    """Service rates beside Mem-Opt's, for windows of Table 4.

    A chain is a plan, and the overhead of a tuple that enters a slice by which it is chosen.
    """
    settings = {f"{s}, {n}": (s, n) for s, n in product(spreads, queries)}
    workloads = {
        (x, c_sys): many_joins(*setting, rate, c_sys)
        for x, (setting, rate) in _placed(settings, rates).items()
        for c_sys in _OVERHEADS.values()
    }
    return curves_by_model(_rates_beside(MEM_OPT, chains, workloads), "; ")


def slices(
    chains: Mapping[str, tuple[str, float]], spread: Spread, queries: int, rates: Sequence[float]
) -> tuple[Curve, ...]:
    """How many slices each chain has. That is planned: nothing is left to measure."""
    points: dict[tuple[str, str], list[Point]] = {}
    for rate in rates:
        for subject, (plan, c_sys) in chains.items():
            workload = many_joins(spread, queries, rate, c_sys)
            label = ChainPlans(workload).meant(plan)
            number = float(label.count("-")) if label.startswith("chain:") else 1.0
            point = Point(rate, workload, NAME, label, predicted=number, measured=False)
            points.setdefault(("planned", subject), []).append(point)
    return curves_by_model(points)


def _table_3(
    windows: Sequence[Mapping[str, Any]], filtered: Sequence[float], joined: Sequence[float]
) -> dict[str, Setting]:
    """Settings by the names of their places."""
    found: dict[str, Setting] = {}
    for spread, passing, share in product(windows, filtered, joined):
        seconds = "-".join(f"{window:g}" for window in spread["seconds"])
        setting = (spread["spread"], spread["seconds"], passing, share)
        found[f"{seconds}, {passing:g}, {share:g}"] = setting
    return found


def _placed(settings: Mapping[str, T], rates: Sequence[float]) -> dict[Place, tuple[T, float]]:
    """One setting by its rates, or all settings side by side at the only rate."""
    if len(settings) == 1:
        return {rate: (setting, rate) for rate in rates for setting in settings.values()}
    (rate,) = rates
    return {place: (setting, rate) for place, setting in settings.items()}


def _rates_beside(
    against: str,
    plans: Mapping[str, tuple[str, float]],
    workloads: Mapping[tuple[Place, float], Workload],
) -> dict[tuple[str, str], list[Point]]:
    """Service rates beside a plan's, predicted by the work for a tuple, without and with C_sys.

    A plan is chosen in the workload of its place that has its overhead.
    """
    points: dict[tuple[str, str], list[Point]] = {(m, s): [] for m in _OVERHEADS for s in plans}
    for (x, chosen_by), workload in workloads.items():
        priced = ChainPlans(workload)
        other = priced.meant(against)
        for subject, (plan, overhead) in plans.items():
            if overhead == chosen_by:
                label = priced.meant(plan)
                for model, c_sys in _OVERHEADS.items():
                    times = _score(priced, other, c_sys) / _score(priced, label, c_sys)
                    point = Point(x, workload, NAME, label, predicted=times, against=other)
                    points[model, subject].append(point)
    return points


def _score(plans: ChainPlans, label: str, c_sys: float) -> float:
    """Comparisons, and what the overhead of the tuples entering slices is worth."""
    comparisons = plans.cost(label).comparisons
    if not c_sys:
        return comparisons
    return comparisons + c_sys * plans.entering(plans.model.build(label))
