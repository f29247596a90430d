"""Table 8 and Figure 4 of Golab & Özsu 2003: the most tuples a second that the kernels take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from planner.experiments.claims import apart, exceeds_from, faster, peaks, ratio_of, rises
from planner.experiments.experiment import Axis, Claim, Curve, Experiment, Kernel, Point
from planner.experiments.golab.costs import PAPER, Row, equality_join
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


_ROUNDS = 5
_RATE = Axis("Most input tuples per second, all streams together", logarithmic=True)
_RATES = Axis("Most input tuples per second, all streams together")
_TAU = Axis("τ: seconds of stream time between evaluations (0: eager)")
_CHEAP_SCANS = (
    "A kernel compares 64 keys at a time, so that a window of some hundred tuples costs little "
    "more to scan than a bucket of it. Most of what is left is the same for every plan: a tuple is "
    "hashed, laid out, inserted and expired, and every result is hashed for the answer's digest."
)
_TWO_KERNELS = (
    "All curves are of the kernel that knows every plan, so that eager and lazy points compare. "
    f"Eager points are measured again on the kernel that runs use for them ({EAGER_KERNEL})."
)
_AS_RATIOS = (
    "Rates are tuples over the processor's seconds in the kernel, after the warm-up, best of the "
    "rounds. Those of the paper are of a Java prototype on a 1.2 GHz processor of 2003: their "
    "ratios are to be compared, not the figures."
)

TABLE_8 = Experiment(
    name="table-8",
    paper=PAPER,
    figure="Table 8: best and worst plan",
    title="Table 8: best and worst plan of Table 5's query",
    about="Nested loops, and hash tables of 5 buckets; eager, and every 5 and 10 seconds.",
    quantity="rate",
    x=Axis("Algorithm", named=True),
    y=_RATE,
    draw=table_8,
    rounds=_ROUNDS,
    claims=(
        Claim(
            "6.2",
            "The best plan takes 4 to 5 times the rate of the worst.",
            apart("Best plan", "Worst plan", 4.0, 5.5),
            _CHEAP_SCANS,
        ),
        Claim(
            "6.2",
            "The hash join outperforms the NLJ.",
            ratio_of(
                "Best plan",
                (
                    ("Eager NLJ", "Eager hash"),
                    ("Lazy NLJ, τ = 5", "Lazy hash, τ = 5"),
                    ("Lazy NLJ, τ = 10", "Lazy hash, τ = 10"),
                ),
            ),
            _CHEAP_SCANS,
        ),
        Claim(
            "6.2",
            "A longer interval hurts.",
            ratio_of(
                "Best plan",
                (
                    ("Lazy NLJ, τ = 5", "Eager NLJ"),
                    ("Lazy NLJ, τ = 10", "Lazy NLJ, τ = 5"),
                    ("Lazy hash, τ = 5", "Eager hash"),
                    ("Lazy hash, τ = 10", "Lazy hash, τ = 5"),
                ),
            ),
            "Longer windows cost little where scans are cheap, and one evaluation of a batch "
            "spares the general kernel its start for each tuple. The eager kernel has no such "
            "start: it is faster than any lazy point.",
        ),
    ),
    remarks=(_AS_RATIOS, _TWO_KERNELS),
)
_VISITS = (
    "Every lazy expiration looks into all buckets of every window, as the prototype does: 30 "
    "buckets are slowest at τ = 1 and best at long intervals, as in the paper. Few buckets want "
    "longer intervals than the paper's, because the kernel starts its loops once a batch."
)
_FEW_VISITS = (
    "Visits of 30 buckets are little beside the hundreds of tuples that arrive between them, so "
    "that the shortest interval, with the shortest windows, is best for all tables."
)


def _claims_4a(because: str, interval: str) -> tuple[Claim, ...]:
    return (
        Claim(
            "6.3",
            "The NLJ is the slowest, and the largest hash table is the fastest.",
            faster(tuple(TABLES)),
            because,
        ),
        Claim(
            "6.4",
            "The best τ grows with the number of buckets: about 4, 15 and 30.",
            peaks({"HASH2": 4.0, "HASH10": 15.0, "HASH30": 30.0}),
            interval,
        ),
    )


FIGURE_4A = Experiment(
    name="figure-4a",
    paper=PAPER,
    figure="Figure 4: rates of hash tables",
    part="(a) by τ",
    title="Figure 4(a): rate by τ and hash tables",
    about="Four windows of 100 s, 1 tuple/s, 50 distinct values.",
    quantity="rate",
    x=_TAU,
    y=_RATES,
    draw=figure_4a(1, TAUS),
    rounds=_ROUNDS,
    claims=_claims_4a(_CHEAP_SCANS, _VISITS),
    remarks=(_AS_RATIOS, _TWO_KERNELS),
)
FIGURE_4A_LARGER = Experiment(
    name="figure-4a-larger",
    paper=PAPER,
    figure="Figure 4: rates of hash tables",
    part="(a) at 100 times the rate",
    title="Figure 4(a), 100 times the rate",
    about="100 tuples/s and 5,000 distinct values: windows of 10,000 tuples, where scans do count.",
    quantity="rate",
    x=_TAU,
    y=_RATES,
    draw=figure_4a(100, FEW_TAUS),
    rounds=_ROUNDS,
    claims=_claims_4a(
        "From 10 to 30 buckets little is left to gain: scans are then as cheap as the rest of what "
        "a tuple costs, which is the same for all tables.",
        _FEW_VISITS,
    ),
    remarks=(
        "Not in the paper: its query at a scale of today. Rates and distinct values grow alike, so "
        "that a probe finds as many matches as before.",
        _AS_RATIOS,
        _TWO_KERNELS,
    ),
)
_MANY_RESULTS = (
    "Scans are too cheap to be seen: what remains is the same for all tables. Each tuple completes "
    "some 30 results, and every one is checked against its windows and hashed for the digest."
)
FIGURE_4B = Experiment(
    name="figure-4b",
    paper=PAPER,
    figure="Figure 4: rates of hash tables",
    part="(b) tables of different sizes",
    title="Figure 4(b): hash tables of different sizes",
    about="Four windows of 100 s, 50 distinct values; 1 tuple/s, and 50 on S4. Every 5 seconds.",
    quantity="rate",
    x=Axis("Buckets per window, on average"),
    y=_RATES,
    draw=figure_4b,
    rounds=_ROUNDS,
    claims=(
        Claim(
            "6.5",
            "Equal tables: the rate rises up to 13 buckets.",
            rises("Equal", until=13),
            _MANY_RESULTS,
        ),
        Claim(
            "6.5",
            "With 1 to slow, 8 buckets on average are best.",
            peaks({"1 to slow": 8.0}),
            _MANY_RESULTS,
        ),
        Claim(
            "6.5",
            "5 to slow is faster than equal tables, at 12 buckets.",
            exceeds_from("5 to slow", "Equal", 12, 12),
            _MANY_RESULTS,
        ),
        Claim(
            "6.5",
            "10 to slow surpasses 5 to slow with more buckets than 13.",
            exceeds_from("10 to slow", "5 to slow", 16, 28),
            _MANY_RESULTS,
        ),
    ),
    remarks=(_AS_RATIOS, "All curves are lazy, on the kernel that knows every plan."),
)
