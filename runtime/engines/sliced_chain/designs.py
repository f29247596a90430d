"""Designed joins of many queries: chains of slices, shared and unshared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.families.registry import family
from planner.workload.workload import Workload
from runtime.engines.design import HASH, NESTED, Design, Json, designed, stream

_SHARED = ("pull-up", "mem-opt", "cpu-opt")
_ALL = ("unshared", *_SHARED)
_FILTERED = (*_ALL, "push-down")
# So many neighbouring slices are merged into one.
_MERGED = (1, 2, 3, 6, 1000)

# Windows in seconds, tuples per second of each stream, values of the key, how slices are probed,
# seconds, thresholds of the queries in turn (0: none), and the plans; none: chains merged more and
# more.
Row = tuple[Sequence[float], float, int, Json, float, Sequence[int], tuple[str, ...]]
_ROWS: tuple[Row, ...] = (
    ([4], 50, 100, NESTED, 200, (0,), ("unshared",)),
    ([100], 50, 2000, NESTED, 100, (0,), ("unshared",)),
    ([100], 50, 500, HASH, 150, (0,), ("unshared",)),
    ([2, 20, 40], 50, 100, HASH, 100, (0,), _ALL),
    ([10, 50, 100], 50, 500, NESTED, 100, (0,), _ALL),
    ([n / 2 for n in range(1, 13)], 60, 10, NESTED, 60, (0,), ("unshared", "pull-up")),
    (range(1, 25), 60, 20, HASH, 10, (0,), _ALL),
    ([2, 5, 10, 20], 50, 50, NESTED, 100, (0, 50, 80), _FILTERED),
    ([5, 20, 60, 90], 50, 50, HASH, 40, (0, 50, 80), _SHARED),
    ([n / 2 for n in range(1, 41)], 40, 100, NESTED, 50, (0, 50, 80), _ALL),
    ([n / 10 for n in range(1, 41)], 100, 1000, NESTED, 40, (50, 80, 90, 95), _FILTERED),
    ([5, 10], 100, 1000, NESTED, 200, (95, 97), _FILTERED),
    ([n / 2 for n in range(1, 13)], 60, 10, NESTED, 60, (0,), ()),
    ([n / 4 for n in range(1, 25)], 60, 5, NESTED, 30, (0,), ()),
    ([n / 4 for n in range(1, 25)], 100, 100, NESTED, 60, (0,), ()),
)


def chains() -> Iterator[Design]:
    """Joins of two streams that differ in windows and filters, under every strategy."""
    for number, (windows, rate, values, execution, seconds, filters, plans) in enumerate(_ROWS, 1):
        texts = []
        for place, window in enumerate(windows):
            above = filters[place % len(filters)]
            condition = f" AND A.v > {above}" if above else ""
            texts.append(
                f"SELECT * FROM A [RANGE {window:g}], B [RANGE {window:g}] "
                f"WHERE A.k = B.k{condition}"
            )
        streams = [stream(name, rate, k=values, v=100) for name in ("A", "B")]
        workload = designed(f"chains {number}", streams, texts, execution, max(windows), seconds)
        labels = plans or merged(workload)
        yield Design("slices", workload, "sliced_chain", labels, merged=not plans)


def merged(workload: Workload, every: Sequence[int] = _MERGED) -> tuple[str, ...]:
    """Mem-Opt, and chains with so many of its slices after one another merged into one."""
    first, *ends = family("sliced_chain").space(workload).plan("mem-opt").label.split("-")
    kept = (ends[::-1][::count][::-1] for count in every)
    return tuple(dict.fromkeys("-".join([first, *own]) for own in kept))
