"""Figure 19 of the state-slice paper: Mem-Opt against CPU-Opt, for the windows of Table 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from planner.experiments.claims import alike
from planner.experiments.experiment import Axis, Claim, Curve, Experiment, Place, Point
from planner.experiments.wang.settings import (
    COMPARISONS,
    KERNEL_C_SYS,
    PAPER,
    QUERIES,
    RATES,
    SPREADS,
    WITH_OVERHEAD,
    Prices,
    Spread,
    curves_by_model,
    many_joins,
)
from planner.experiments.wang.shares import gains_on_average, highest, rises_along
from planner.families.sliced_chain import NAME
from planner.families.sliced_chain.labels import CPU_OPT, MEM_OPT, PULL_UP
from planner.workload.workload import Workload

ROUNDS = 3
MEMORY, WITHOUT = "Mem-Opt", "CPU-Opt, C_sys = 0"
WITH = f"CPU-Opt, C_sys = {KERNEL_C_SYS:g}"
# Which plan a curve is of, and the overhead of a tuple that enters a slice by which it is chosen.
CHAINS: dict[str, tuple[str, float]] = {
    MEMORY: (MEM_OPT, 0.0),
    WITHOUT: (CPU_OPT, 0.0),
    WITH: (CPU_OPT, KERNEL_C_SYS),
    "One slice (pull-up)": (PULL_UP, 0.0),
}
_FIGURE = "Figure 19: Mem-Opt and CPU-Opt"
_TIMES = Axis("Service rate, times that of Mem-Opt")
_ALL_RATE = 40.0
# The workload of some queries for an overhead.
Build = Callable[[float], Workload]


def chain_curves(places: Mapping[Place, Build]) -> tuple[Curve, ...]:
    """Service rates beside Mem-Opt's: predicted by the work for a tuple, without and with C_sys."""
    found: dict[tuple[str, str], list[Point]] = {}
    for x, build in places.items():
        priced = {c_sys: (w := build(c_sys), Prices(w)) for c_sys in (0.0, KERNEL_C_SYS)}
        for subject, (plan, chosen_by) in CHAINS.items():
            workload, prices = priced[chosen_by]
            label, memory = prices.label(plan), prices.label(MEM_OPT)
            for model, c_sys in ((COMPARISONS, 0.0), (WITH_OVERHEAD, KERNEL_C_SYS)):
                times = prices.score(memory, c_sys) / prices.score(label, c_sys)
                point = Point(x, workload, NAME, label, predicted=times, against=memory)
                found.setdefault((model, subject), []).append(point)
    return curves_by_model(found, "; ")


def _by_rate(spread: Spread, queries: int) -> dict[Place, Build]:
    return {rate: partial(many_joins, spread, queries, rate) for rate in RATES}


def _place(spread: Spread, queries: int) -> str:
    return f"{spread}, {queries}"


def _all() -> dict[Place, Build]:
    return {
        _place(spread, queries): partial(many_joins, spread, queries, _ALL_RATE)
        for spread in SPREADS
        for queries in QUERIES
    }


_SLICES = (
    "The kernel takes a tuple into a slice at some hundred comparisons' worth, as it compares 64 "
    "keys at a time: few slices are best, fewer than comparisons alone suggest."
)
_NO_SINGLE = (
    "No single C_sys gives all of the paper's chains: with none, windows that lie close stay in "
    "slices of their own; with enough to leave two slices for small and large windows, uniform "
    "ones are merged, too."
)
_REMARKS = (
    "A service rate is tuples over the processor's seconds in the kernel, after the warm-up, best "
    "of the rounds; shown as so many times Mem-Opt's. CPU-Opt is the cheapest chain by comparisons "
    f"alone, and by comparisons and C_sys = {KERNEL_C_SYS:g} for every tuple that enters a slice, "
    "about what that costs the kernel.",
    _NO_SINGLE,
    "For 24 and 36 queries the windows of Table 4 lie more densely over the same ranges.",
)


def _claims(spread: Spread, queries: int) -> tuple[Claim, ...]:
    if (spread, queries) == ("uniform", 12):
        return (
            Claim(
                "7.3",
                "With uniform windows CPU-Opt is the same chain as Mem-Opt (C_sys = 0).",
                alike(WITHOUT, MEMORY),
                _NO_SINGLE,
            ),
        )
    return tuple(
        Claim("7.3", f"{subject}: the service rate is not below Mem-Opt's.", check, _SLICES)
        for subject in (WITHOUT, WITH)
        for check in (highest(subject, [MEMORY]),)
    )


def _experiment(spread: Spread, queries: int) -> Experiment:
    return Experiment(
        name=f"figure-19-{spread.replace(' ', '-')}-{queries}",
        paper=PAPER,
        figure=_FIGURE,
        part=f"{queries} queries, {spread}",
        title=f"Figure 19: {queries} queries, {spread} windows",
        about="Joins without filters over nested loops, S⋈ = 0.025, windows up to 30 s.",
        quantity="rate",
        x=Axis("Tuples per second of each stream"),
        y=_TIMES,
        draw=lambda: chain_curves(_by_rate(spread, queries)),
        rounds=ROUNDS,
        shown="times",
        claims=_claims(spread, queries),
        remarks=_REMARKS,
    )


def _skewed(subject: str) -> tuple[Claim, ...]:
    by_count = [[_place(spread, queries) for queries in QUERIES] for spread in SPREADS[1:]]
    by_spread: Sequence[Sequence[Place]] = [[_place(s, n) for s in SPREADS] for n in QUERIES]
    return (
        Claim(
            "7.3",
            f"{subject}: the more skewed the windows, the more is gained.",
            rises_along(subject, by_spread),
            _SLICES,
        ),
        Claim(
            "7.3",
            f"{subject}: the more queries there are, the more is gained.",
            rises_along(subject, by_count),
            _SLICES,
        ),
        Claim(
            "7.3",
            f"{subject}: the average improvement is 20% to 30%.",
            gains_on_average(subject, 0.2, 0.3),
            f"{_SLICES} {_NO_SINGLE}",
        ),
    )


WANG_CHAINS: tuple[Experiment, ...] = (
    Experiment(
        name="figure-19",
        paper=PAPER,
        figure=_FIGURE,
        part="all settings",
        title=f"Figure 19: all windows of Table 4, {_ALL_RATE:g} tuples/s",
        about="Joins without filters over nested loops, S⋈ = 0.025, windows up to 30 s.",
        quantity="rate",
        x=Axis("Windows, queries", named=True),
        y=_TIMES,
        draw=lambda: chain_curves(_all()),
        rounds=ROUNDS,
        shown="times",
        claims=(*_skewed(WITHOUT), *_skewed(WITH)),
        remarks=_REMARKS,
    ),
    *(_experiment(spread, queries) for queries in QUERIES for spread in SPREADS),
)
