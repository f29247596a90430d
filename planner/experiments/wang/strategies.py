"""Figures 17 and 18 of the state-slice paper: memory and service rate, in all settings of Table 3.

An experiment for each setting, by rate; and one of all settings side by side at the highest rate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from planner.experiments.claims import lowest
from planner.experiments.experiment import Axis, Claim, Curve, Experiment, Place, Point
from planner.experiments.wang.settings import (
    ALTERNATIVES,
    COMPARISONS,
    FILTERED,
    JOINED,
    KERNEL_C_SYS,
    PAPER,
    RATES,
    SLICED,
    STRATEGIES,
    WINDOWS,
    WITH_OVERHEAD,
    Prices,
    Setting,
    curves_by_model,
    settings,
)
from planner.experiments.wang.shares import (
    differs_within,
    highest,
    reaches,
    same_within,
    saves_between,
    widens,
)
from planner.families.sliced_chain import NAME
from planner.families.sliced_chain.labels import PULL_UP
from planner.workload.workload import Workload

# Counts differ little from one set of tuples to another; times need more rounds.
_COUNTED_ROUNDS, _TIMED_ROUNDS = 2, 3
_MEMORY, _SERVICE = "Figure 17: memory", "Figure 18: service rate"
_BY_RATE = Axis("Tuples per second of each stream")
_BY_SETTING = Axis("Windows, Sσ, S⋈", named=True)
_HELD = Axis("Tuples held in the states of joins")
TIMES_PULL_UP = Axis("Service rate, times that of selection pull-up")
_QUERIES = "Three joins of A and B over nested loops; Q2 and Q3 filter A."
_PULL_UP = "Selection pull-up"

Workloads = Callable[[], Mapping[Place, Workload]]


def memory_curves(workloads: Workloads) -> tuple[Curve, ...]:
    """Tuples held under each strategy."""
    found: dict[str, list[Point]] = {subject: [] for subject in STRATEGIES}
    for x, workload in workloads().items():
        prices = Prices(workload)
        for subject, plan in STRATEGIES.items():
            label = prices.label(plan)
            held = prices.cost(label).state_tuples
            found[subject].append(Point(x, workload, NAME, label, predicted=held))
    return tuple(
        Curve(subject, subject, tuple(points), "expected tuples")
        for subject, points in found.items()
    )


def service_curves(workloads: Workloads) -> tuple[Curve, ...]:
    """Service rates beside pull-up's: predicted by the work for a tuple, without and with C_sys."""
    found: dict[tuple[str, str], list[Point]] = {}
    for x, workload in workloads().items():
        prices = Prices(workload)
        for model, c_sys in ((COMPARISONS, 0.0), (WITH_OVERHEAD, KERNEL_C_SYS)):
            pulled = prices.score(PULL_UP, c_sys)
            for subject, plan in STRATEGIES.items():
                label = prices.label(plan)
                times = pulled / prices.score(label, c_sys)
                point = Point(x, workload, NAME, label, predicted=times, against=PULL_UP)
                found.setdefault((model, subject), []).append(point)
    return curves_by_model(found)


def _by_rate(setting: Setting) -> dict[Place, Workload]:
    return {rate: setting.workload(rate) for rate in RATES}


def _place(setting: Setting) -> str:
    windows = "-".join(f"{window:g}" for window in WINDOWS[setting.spread])
    return f"{windows}, {setting.filtered:g}, {setting.joined:g}"


def _by_setting() -> dict[Place, Workload]:
    return {_place(setting): setting.workload(RATES[-1]) for setting in settings()}


_SAME_BUT_JOINED = [
    [_place(Setting(spread, filtered, joined)) for joined in JOINED]
    for spread in WINDOWS
    for filtered in FILTERED
]
_SAME_BUT_WINDOWS = [
    [_place(Setting(spread, filtered, joined)) for spread in WINDOWS]
    for filtered in FILTERED
    for joined in JOINED
]
_MINIMAL = Claim(
    "7.2",
    "State-slice sharing always achieves the minimal memory consumption.",
    lowest(SLICED, [*ALTERNATIVES, "Unshared"]),
)
_OVERHEAD = (
    "The kernel compares 64 keys at a time, so that comparisons, which slices save, are cheap "
    "beside what a tuple costs in each slice that it enters, and results cost the same to hash for "
    "their digest under every strategy."
)
_MAXIMAL = Claim(
    "7.2",
    "State-slice sharing always achieves the maximum service rate.",
    highest(SLICED, ALTERNATIVES),
    _OVERHEAD,
)
_AS_RATIOS = (
    "A service rate is tuples over the processor's seconds in the kernel, after the warm-up, best "
    "of the rounds. It is shown as so many times that of selection pull-up; predicted by the "
    "inverse of the work for a tuple, in comparisons, or with what it costs the kernel to take a "
    f"tuple into a slice (C_sys, {KERNEL_C_SYS:g} comparisons)."
)
_WARM = "Measured with full windows; the paper's runs of 90 s start with empty ones."


@dataclass(frozen=True)
class _Scope:
    """What a figure goes over: the rates of one setting, or all settings at the highest rate."""

    suffix: str
    part: str
    place: str
    about: str
    x: Axis
    workloads: Workloads


def _of_setting(setting: Setting) -> _Scope:
    windows = ", ".join(f"{window:g}" for window in WINDOWS[setting.spread])
    return _Scope(
        suffix=f"-{setting.name}",
        part=setting.title,
        place=f" by rate, {setting.title}",
        about=f"{_QUERIES} Windows: {windows} s.",
        x=_BY_RATE,
        workloads=partial(_by_rate, setting),
    )


_ALL_SETTINGS = _Scope(
    suffix="",
    part="all settings",
    place=f" in all settings of Table 3, {RATES[-1]:g} tuples/s",
    about=_QUERIES,
    x=_BY_SETTING,
    workloads=_by_setting,
)


def _memory(scope: _Scope, *claims: Claim) -> Experiment:
    return Experiment(
        name=f"figure-17{scope.suffix}",
        paper=PAPER,
        figure=_MEMORY,
        part=scope.part,
        title=f"{_MEMORY}{scope.place}",
        about=scope.about,
        quantity="state_tuples",
        x=scope.x,
        y=_HELD,
        draw=partial(memory_curves, scope.workloads),
        rounds=_COUNTED_ROUNDS,
        claims=(_MINIMAL, *claims),
        remarks=(_WARM,),
    )


def _service(scope: _Scope, *claims: Claim) -> Experiment:
    return Experiment(
        name=f"figure-18{scope.suffix}",
        paper=PAPER,
        figure=_SERVICE,
        part=scope.part,
        title=f"{_SERVICE}{scope.place}",
        about=scope.about,
        quantity="rate",
        x=scope.x,
        y=TIMES_PULL_UP,
        draw=partial(service_curves, scope.workloads),
        rounds=_TIMED_ROUNDS,
        shown="times",
        claims=(_MAXIMAL, *claims),
        remarks=(_AS_RATIOS, _WARM),
    )


_GAINS_WITH_RATE = Claim(
    "7.2",
    "The higher the input rate, the more state-slice sharing gains over pull-up.",
    widens(SLICED, _PULL_UP),
    "Almost all comparisons are probes, which grow with the square of the rate as "
    "results do: what slices save of them is the same share at every rate.",
)
ALL_MEMORY = _memory(
    _ALL_SETTINGS,
    Claim(
        "7.2",
        "The savings of memory range from 20% to 30%.",
        saves_between(SLICED, ALTERNATIVES, 0.2, 0.3),
        "That is their order; by Equation 4 savings over pull-up go from next to nothing, "
        "where windows differ little and most tuples pass, to 40%.",
    ),
    Claim(
        "7.2",
        "The join selectivity does not affect the memory.",
        same_within(SLICED, _SAME_BUT_JOINED),
    ),
    Claim(
        "7.2",
        "The memory is sensitive to how windows are spread.",
        differs_within((SLICED, _PULL_UP), _SAME_BUT_WINDOWS),
    ),
)
ALL_SERVICE = _service(
    _ALL_SETTINGS,
    Claim(
        "7.2",
        "With many results and high rates the improvement can reach 40%.",
        reaches(SLICED, ALTERNATIVES, 1.4),
    ),
)
WANG_STRATEGIES: tuple[Experiment, ...] = (
    ALL_MEMORY,
    *(_memory(_of_setting(setting)) for setting in settings()),
    ALL_SERVICE,
    *(_service(_of_setting(setting), _GAINS_WITH_RATE) for setting in settings()),
)
