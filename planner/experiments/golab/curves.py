"""Golab & Özsu 2003: what the algorithms of Figures 2 and 3 cost, by the model and as counted, and
the most tuples a second that the kernels take (Table 8 and Figure 4).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations

from planner.experiments.experiment import Curve, Kernel, Point, curves_by_model
from planner.families.join_order import NAME
from planner.families.join_order.model import model_of
from planner.families.join_order.plan_space import worst_multiway
from planner.families.join_order.plans import Algorithm, multiway
from planner.families.join_order.ranking import cheapest, scores
from planner.files.query.text import format_query
from planner.joins.model import JoinModel
from planner.workload.execution import Every, Execution, RunSettings
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload

# Rate, seconds of the window, and distinct values of a stream.
Row = tuple[float, float, int]


def equality_join(
    name: str, rows: Sequence[Row], tuples: float, execution: Execution | None = None
) -> Workload:
    """S1, S2 and so on joined on `attr`; a run has about so many tuples, its warm-up included."""
    names = [f"S{number}" for number in range(1, len(rows) + 1)]
    streams = tuple(
        Stream(stream, rate, {"attr": Attribute(distinct)})
        for stream, (rate, _, distinct) in zip(names, rows, strict=True)
    )
    sources = tuple(
        Source(stream, stream, TimeWindow(window))
        for stream, (_, window, _) in zip(names, rows, strict=True)
    )
    links = tuple(
        Predicate(Column(left, "attr"), "=", Column(right, "attr"))
        for left, right in pairwise(names)
    )
    query = Query("Q1", sources, links)
    warmup = max(window for _, window, _ in rows)
    seconds = tuples / sum(rate for rate, _, _ in rows)
    return Workload(
        name,
        streams,
        (replace(query, text=format_query(query)),),
        execution=execution or Execution(),
        run=RunSettings(warmup=warmup, duration=seconds - warmup),
    )


# --- Figures 2 and 3: costs ----------------------------------------------------------------------

CORRECTED = "composites limited to T"
PRINTED = "as printed"
_SECONDS = 2_000


def by_windows(
    stream: Row, counts: Sequence[int], algorithms: Mapping[str, Algorithm]
) -> tuple[Curve, ...]:
    """Each algorithm's best plan over so many windows."""
    workloads = {n: _counted(f"Figure 2, {n} windows", (stream,) * n) for n in counts}
    return _costs(workloads, {"Appendix A": lambda model: model}, algorithms, counts)


def by_tau(
    figure: str,
    streams: Sequence[Row],
    most: int,
    measured: Collection[int],
    algorithms: Mapping[str, Algorithm],
) -> tuple[Curve, ...]:
    """Each algorithm's best plan under either lazy model, every tau."""
    workloads = {
        tau: _counted(
            f"{figure}, evaluated every {tau} s",
            streams,
            Execution(evaluate=Every(tau), expire=Every(tau)),
        )
        for tau in range(1, most + 1)
    }
    models = {CORRECTED: lambda model: model, PRINTED: JoinModel.as_printed}
    return _costs(workloads, models, algorithms, measured)


def _counted(name: str, rows: Sequence[Row], execution: Execution | None = None) -> Workload:
    return equality_join(name, rows, round(_SECONDS * sum(rate for rate, _, _ in rows)), execution)


def _costs(
    workloads: Mapping[int, Workload],
    models: Mapping[str, Callable[[JoinModel], JoinModel]],
    algorithms: Mapping[str, Algorithm],
    measured: Collection[int],
) -> tuple[Curve, ...]:
    points: dict[tuple[str, str], list[Point]] = {}
    for x, workload in workloads.items():
        own = model_of(workload)
        for source, of in models.items():
            model = of(own)
            for label, algorithm in algorithms.items():
                loops = cheapest(model, algorithm)
                (comparisons,) = scores(model, [loops])
                point = Point(
                    x, workload, NAME, loops.label, predicted=comparisons, measured=x in measured
                )
                points.setdefault((source, label), []).append(point)
    return curves_by_model(points)


# --- Tables 5 to 7: orders -----------------------------------------------------------------------

_SECONDS_OF_ORDERS = 4_000


def orders(table: str, streams: Sequence[Row], printed: Mapping[str, float]) -> tuple[Curve, ...]:
    """Every global order, the cheapest first; the paper prints what some of them cost."""
    tuples = _SECONDS_OF_ORDERS * sum(rate for rate, _, _ in streams)
    workload = equality_join(table, streams, tuples)
    model = model_of(workload)
    every = [multiway(model, order) for order in permutations(range(len(streams)))]
    costs = dict(zip([loops.label for loops in every], scores(model, every), strict=True))
    points = tuple(
        Point(label, workload, NAME, label, predicted=cost, printed=printed.get(label))
        for label, cost in sorted(costs.items(), key=lambda item: item[1])
    )
    return (Curve("Global order", "Global order", points, "Appendix B"),)


# --- Table 8 and Figure 4: rates -----------------------------------------------------------------

# How a curve of the eager kernel is named.
EAGER_KERNEL = "eager kernel"
_TUPLES = 200_000


def table_8(
    streams: Sequence[Row], rows: Sequence[tuple[str, float, int | None, float, float]]
) -> tuple[Curve, ...]:
    """The best and the worst plan; a row has tau, buckets, and the printed rates of both.

    Eager points stand once more on the kernel that knows eager joins alone.
    """
    points: dict[tuple[Kernel, str], list[Point]] = {}
    for name, tau, buckets, *printed in rows:
        workload = equality_join(f"Table 8, {name}", streams, _TUPLES, _execution(tau, buckets))
        plans = (_best(workload), _worst(workload))
        for subject, plan, rate in zip(("Best plan", "Worst plan"), plans, printed, strict=True):
            for kernel in _kernels(tau):
                point = Point(name, workload, NAME, plan, kernel, printed=rate)
                points.setdefault((kernel, subject), []).append(point)
    return _by_kernel(points)


def figure_4a(
    times: int, stream: Row, tables: Mapping[str, int | None], taus: Sequence[float]
) -> tuple[Curve, ...]:
    """Streams so many times as fast, with as many times the values: a probe finds as much."""
    rate, window, distinct = stream
    rows = ((times * rate, window, times * distinct),) * 4
    points: dict[tuple[Kernel, str], list[Point]] = {}
    for label, buckets in tables.items():
        for tau in taus:
            when = f"every {tau:g} s" if tau else "eager"
            name = f"Figure 4a, {times * rate:g} tuples/s, {label}, {when}"
            workload = equality_join(name, rows, _TUPLES, _execution(tau, buckets))
            for kernel in _kernels(tau):
                point = Point(tau, workload, NAME, _best(workload), kernel)
                points.setdefault((kernel, label), []).append(point)
    return _by_kernel(points)


def figure_4b(
    streams: Sequence[Row],
    means: Sequence[int],
    slow_buckets: Mapping[str, int | None],
    printed: Mapping[str, tuple[int, float]],
) -> tuple[Curve, ...]:
    """So many buckets a window on average: the fast stream S4 has what the slow ones leave."""
    points: dict[tuple[Kernel, str], list[Point]] = {}
    for label, given in slow_buckets.items():
        at, rate = printed.get(label, (None, None))
        for mean in means:
            slow = given or mean
            fast = 4 * mean - 3 * slow
            if fast < 1:
                continue
            name = f"Figure 4b, buckets: {slow} slow, {fast} fast"
            workload = equality_join(name, streams, _TUPLES, _sized(slow, fast))
            known = rate if mean == at else None
            point = Point(mean, workload, NAME, _best(workload), "general", printed=known)
            points.setdefault(("general", label), []).append(point)
    return _by_kernel(points)


def _execution(tau: float, buckets: int | None) -> Execution:
    """Evaluated and expired every tau seconds (0: at each arrival), scanned or hashed."""
    lazy = Execution(evaluate=Every(tau), expire=Every(tau)) if tau else Execution()
    return replace(lazy, join="hash", buckets=buckets) if buckets else lazy


def _sized(slow: int, fast: int) -> Execution:
    """Hash tables of two sizes, every 5 s; one bucket is no hash table."""
    hashed = ("S4",) if slow == 1 else ("S1", "S2", "S3", "S4")
    buckets = dict.fromkeys(hashed, slow) | {"S4": fast}
    return replace(_execution(5, None), join=dict.fromkeys(hashed, "hash"), buckets=buckets)


def _best(workload: Workload) -> str:
    return cheapest(model_of(workload), "multiway").label


def _worst(workload: Workload) -> str:
    model = model_of(workload)
    _, order = worst_multiway(model) or (0.0, None)
    assert order is not None, "all orders of four streams are listed"
    return model.label(order)


def _kernels(tau: float) -> tuple[Kernel, ...]:
    return ("general",) if tau else ("general", "usual")


def _by_kernel(points: Mapping[tuple[Kernel, str], Sequence[Point]]) -> tuple[Curve, ...]:
    """Curves of points by kernel and subject: those of the general kernel first."""
    return tuple(
        Curve(subject if kernel == "general" else f"{subject}, {EAGER_KERNEL}", subject, tuple(own))
        for (kernel, subject), own in sorted(points.items(), key=lambda item: item[0][0])
    )
