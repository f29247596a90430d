"""The curves of Table 8 and Figure 4 of Golab & Özsu 2003: workloads, plans, printed rates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from planner.experiments.experiment import Curve, Kernel, Point
from planner.experiments.golab.costs import Row, equality_join
from planner.families.join_order import NAME
from planner.families.join_order.model import model_of
from planner.families.join_order.plan_space import worst_multiway
from planner.families.join_order.ranking import cheapest
from planner.workload.execution import Every, Execution
from planner.workload.workload import Workload

# Rate, window and distinct values of each stream of Table 5.
TABLE_5: tuple[Row, ...] = ((10, 100, 500), (1, 100, 50), (1, 200, 40), (3, 100, 5))
_STREAM: Row = (1, 100, 50)
_FAST: Row = (50, 100, 50)
_TUPLES = 200_000

# Table 8: how it is run, and the printed rates of the best and of the worst plan.
_TABLE_8: tuple[tuple[str, float | None, int | None, float, float], ...] = (
    ("Eager NLJ", None, None, 1614, 333),
    ("Lazy NLJ, τ = 5", 5, None, 1446, 296),
    ("Lazy NLJ, τ = 10", 10, None, 1332, 274),
    ("Eager hash", None, 5, 11540, 2524),
    ("Lazy hash, τ = 5", 5, 5, 8420, 2041),
    ("Lazy hash, τ = 10", 10, 5, 7947, 1848),
)
TABLES = {"NLJ": None, "HASH2": 2, "HASH10": 10, "HASH30": 30}
# Where eager evaluation stands on an axis of τ, and how a curve of the eager kernel is named.
EAGER = 0.0
EAGER_KERNEL = "eager kernel"
TAUS = (EAGER, 1, 2, 4, 7, 10, 15, 20, 30, 40, 50)
FEW_TAUS = (EAGER, 1, 5, 10, 20, 50)
_BUCKETS = (4, 6, 8, 10, 12, 13, 16, 20, 24, 28)
# What the text of Section 6.5 prints ("over 7000", "over 10000"), by curve and buckets.
_FIGURE_4B = {("Equal", 13): 7000.0, ("5 to slow", 12): 10000.0}


def _execution(tau: float | None, buckets: int | None) -> Execution:
    """Evaluated and expired every tau seconds (None: at each arrival), scanned or hashed."""
    when: Literal["eager"] | Every = Every(tau) if tau else "eager"
    if buckets is None:
        return Execution(evaluate=when, expire=when)
    return Execution(join="hash", buckets=buckets, evaluate=when, expire=when)


def _best(
    x: float | str, workload: Workload, kernel: Kernel, printed: float | None = None
) -> Point:
    best = cheapest(model_of(workload), "multiway").label
    return Point(x, workload, NAME, best, kernel, printed=printed)


def _worst(x: str, workload: Workload, kernel: Kernel, printed: float) -> Point:
    model = model_of(workload)
    _, order = worst_multiway(model) or (0.0, None)
    assert order is not None, "all orders of four streams are listed"
    return Point(x, workload, NAME, model.label(order), kernel, printed=printed)


def table_8() -> tuple[Curve, ...]:
    workloads = {
        name: equality_join(f"Table 8, {name}", TABLE_5, _TUPLES, _execution(tau, buckets))
        for name, tau, buckets, _, _ in _TABLE_8
    }
    best, worst, best_usual, worst_usual = [], [], [], []
    for name, tau, _, of_best, of_worst in _TABLE_8:
        best.append(_best(name, workloads[name], "general", of_best))
        worst.append(_worst(name, workloads[name], "general", of_worst))
        if tau is None:
            best_usual.append(_best(name, workloads[name], "usual", of_best))
            worst_usual.append(_worst(name, workloads[name], "usual", of_worst))
    return (
        Curve("Best plan", "Best plan", tuple(best)),
        Curve("Worst plan", "Worst plan", tuple(worst)),
        Curve(f"Best plan, {EAGER_KERNEL}", "Best plan", tuple(best_usual)),
        Curve(f"Worst plan, {EAGER_KERNEL}", "Worst plan", tuple(worst_usual)),
    )


def figure_4a(times: int, taus: Sequence[float]) -> Callable[[], tuple[Curve, ...]]:
    """Streams so many times as fast, with as many times the values: a probe finds as much."""
    rate, window, distinct = _STREAM
    rows = ((times * rate, window, times * distinct),) * 4

    def at(tau: float, label: str) -> Workload:
        name = f"Figure 4a, {times * rate:g} tuples/s, {label}, "
        name += f"every {tau:g} s" if tau else "eager"
        return equality_join(name, rows, _TUPLES, _execution(tau, TABLES[label]))

    def draw() -> tuple[Curve, ...]:
        curves = [
            Curve(label, label, tuple(_best(tau, at(tau, label), "general") for tau in taus))
            for label in TABLES
        ]
        return (*curves, *(_eager(label, at(EAGER, label)) for label in TABLES))

    return draw


def _eager(label: str, workload: Workload) -> Curve:
    """The eager point once more, on the kernel that knows eager joins alone."""
    return Curve(f"{label}, {EAGER_KERNEL}", label, (_best(EAGER, workload, "usual"),))


def figure_4b() -> tuple[Curve, ...]:
    def points(label: str, slow: int | None) -> Iterator[Point]:
        for mean in _BUCKETS:
            # So many buckets a window on average: the fast stream has what the slow ones leave.
            fast = mean if slow is None else 4 * mean - 3 * slow
            if fast >= 1:
                execution = _sized(mean if slow is None else slow, fast)
                name = f"Figure 4b, buckets: {slow or mean} slow, {fast} fast"
                rows = (_STREAM, _STREAM, _STREAM, _FAST)
                workload = equality_join(name, rows, _TUPLES, execution)
                yield _best(mean, workload, "general", _FIGURE_4B.get((label, mean)))

    slow_buckets = {"Equal": None, "1 to slow": 1, "5 to slow": 5, "10 to slow": 10}
    return tuple(
        Curve(label, label, tuple(points(label, slow))) for label, slow in slow_buckets.items()
    )


def _sized(slow: int, fast: int) -> Execution:
    """Hash tables of two sizes, every 5 s; one bucket is no hash table."""
    hashed = ("S4",) if slow == 1 else ("S1", "S2", "S3", "S4")
    buckets = dict.fromkeys(hashed, slow) | {"S4": fast}
    return Execution(
        join=dict.fromkeys(hashed, "hash"), buckets=buckets, evaluate=Every(5), expire=Every(5)
    )
