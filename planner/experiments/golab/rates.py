"""Table 8 and Figure 4 of Golab & Özsu 2003: the most tuples a second that the kernels take."""

from __future__ import annotations

from planner.experiments.claims import apart, exceeds_from, faster, peaks, ratio_of, rises
from planner.experiments.experiment import Axis, Claim, Experiment
from planner.experiments.golab.costs import PAPER
from planner.experiments.golab.rate_curves import (
    EAGER_KERNEL,
    FEW_TAUS,
    TABLES,
    TAUS,
    figure_4a,
    figure_4b,
    table_8,
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
