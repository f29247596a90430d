"""Designed joins: of the fast kernel, of that which knows all loops, and with relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from planner.seconds.kernel_work import Kernel
from runtime.engines.design import FIVE, HASH, NESTED, Design, Json, designed, stream

_LAZY: Json = {"evaluate": {"every": 5}, "expire": {"every": 5}}
_SELDOM: Json = {"evaluate": {"every": 30}, "expire": {"every": 30}}

# Tuples per second, seconds of windows and values of the key by stream; and how many tuples.
Row = tuple[Sequence[float], Sequence[float], Sequence[int], Json, int]

_EAGER: tuple[Row, ...] = (
    ((20, 20), (10, 10), (50, 50), NESTED, 60_000),
    ((50, 50), (40, 40), (500, 500), NESTED, 40_000),
    ((50, 5), (200, 200), (1000, 1000), NESTED, 20_000),
    ((50, 50), (10, 10), (10, 10), NESTED, 20_000),
    ((50, 50), (40, 40), (500, 500), HASH, 60_000),
    ((20, 20), (20, 20), (20, 20), HASH, 40_000),
    ((100, 10), (100, 100), (3000, 3000), FIVE, 40_000),
    ((10, 1, 1, 3), (100, 100, 200, 100), (500, 50, 40, 5), NESTED, 40_000),
    ((20, 5, 5), (20, 100, 50), (200, 100, 30), NESTED, 40_000),
    ((20, 20, 20), (30, 30, 30), (200, 200, 200), HASH, 30_000),
    ((10, 10, 10, 10, 10), (10, 10, 10, 10, 10), (100,) * 5, HASH, 40_000),
    ((10, 10, 10, 10), (20, 20, 20, 20), (100,) * 4, FIVE, 20_000),
    ((100, 100), (100, 100), (5000, 5000), HASH, 10_000),
)

_SOME, _BAND = "S1.v > 30", "S1.v - S2.v <= 5"
# The same with a further condition, and the plan.
_ANY: tuple[tuple[Row, str, str], ...] = (
    (((50, 50), (20, 20), (300, 300), NESTED, 30_000), _SOME, "S1,S2"),
    (((50, 50), (5, 5), (100, 100), NESTED, 50_000), "S1.v > 90 AND S2.v > 80", "S1,S2"),
    (((50, 50), (40, 40), (300, 300), HASH, 30_000), _SOME, "S1,S2"),
    (((20, 20), (40, 40), (20, 20), HASH, 6_000), _SOME, "S1,S2"),
    (((20, 20, 20), (20, 20, 20), (100,) * 3, HASH, 20_000), _SOME, "S1,S2,S3"),
    (((20, 10, 5), (20, 40, 80), (100,) * 3, NESTED, 20_000), _SOME, "S1,S2,S3"),
    (((50, 50), (100, 100), (3000, 3000), HASH, 6_000), _SOME, "S1,S2"),
    (((50, 50), (20, 20), (50, 50), NESTED, 10_000), _BAND, "S1,S2"),
    (((50, 50), (20, 20), (50, 50), HASH, 10_000), _BAND, "S1,S2"),
    (((10, 10), (20, 20), (100, 100), NESTED, 8_000), "", "naive:S1,S2"),
    (((10, 10), (20, 20), (100, 100), HASH, 8_000), "", "naive:S1,S2"),
    (((20, 20, 5), (25, 25, 50), (200,) * 3, _LAZY, 20_000), "", "S1,S2,S3"),
    (((10, 10, 5), (25, 25, 50), (200,) * 3, _LAZY, 10_000), "", "naive:S1,S2,S3"),
    (((50, 20), (50, 50), (200, 200), {**_LAZY, **HASH}, 30_000), "", "S1,S2"),
    (((50, 20), (50, 50), (200, 200), _SELDOM, 40_000), "", "S1,S2"),
    (((1, 1, 20), (100, 100, 100), (200, 200, 20), _SELDOM, 40_000), "", "S1,S2,S3"),
    (((1, 1, 10), (50, 50, 20), (200,) * 3, _LAZY, 20_000), "", "S1,S2,S3"),
)
# Seconds of windows, how far values may be apart, and how many tuples: no keys are equal.
_BANDS = ((4, 0, 10_000), (2, 5, 20_000))

_ROWS = "S1 [ROWS 500], S2 [ROWS 300], R WHERE S1.k = S2.k AND S1.v = R.v"
_TIME = "S1 [RANGE 10], S2 [RANGE 20], R WHERE S1.k = S2.k AND S1.v = R.v"
_LONG = "S1 [RANGE 200], S2 [RANGE 300], R WHERE S1.k = S2.k AND S1.v = R.v"
_TWO = "S1 [RANGE 10], R WHERE S1.v = R.v AND S1.k > 30"


def eager_joins() -> Iterator[Design]:
    """Joins on one attribute, by the fast kernel."""
    for number, row in enumerate(_EAGER, 1):
        label = ",".join(f"S{n}" for n in range(1, len(row[0]) + 1))
        yield _join("multiway", f"eager join {number}", row, "", label)


def loops() -> Iterator[Design]:
    """Filters, bands, naive orders and lazy evaluation, by the kernel that knows them all."""
    for number, (row, condition, label) in enumerate(_ANY, 1):
        yield _join("loops", f"loops {number}", row, condition, label)
    for window, width, tuples in _BANDS:
        text = (
            f"SELECT * FROM S1 [RANGE {window}], S2 [RANGE {window}] "
            f"WHERE S1.v - S2.v <= {width} AND S2.v - S1.v <= {width}"
        )
        streams = [stream(name, 50, v=100) for name in ("S1", "S2")]
        workload = designed(f"band of {width}", streams, [text], NESTED, window, tuples / 100)
        yield Design("loops", workload, "join_order", ("S1,S2",))


def relations() -> Iterator[Design]:
    """Joins with a relation that stays, and with one that changes."""
    still: Json = {"name": "R", "rows": 100, "attributes": {"v": {"distinct": 100}}}
    for relation in (still, {**still, "changes": {"inserts": 5, "deletes": 5}}):
        for text, label, keys, seconds in (
            (_ROWS, "S1,S2,R", 100, 200),
            (_TIME, "S1,S2,R", 100, 200),
            (_LONG, "S1,S2,R", 2000, 60),
            (_TWO, "S1,R", 100, 300),
        ):
            for execution in (NESTED, HASH):
                workload = designed(
                    f"relation of {relation['rows']}",
                    [stream("S1", 30, k=keys, v=100), stream("S2", 20, k=keys, v=100)],
                    [f"SELECT * FROM {text}"],
                    execution,
                    300 if text == _LONG else 20,
                    seconds,
                    [relation],
                )
                yield Design("relations", workload, "join_order", (label,))


def _join(kernel: Kernel, name: str, row: Row, condition: str, label: str) -> Design:
    rates, windows, values, execution, tuples = row
    names = [f"S{n}" for n in range(1, len(rates) + 1)]
    own = zip(names, rates, values, strict=True)
    streams = [stream(named, rate, k=count, v=100) for named, rate, count in own]
    pairs = zip(names, windows, strict=True)
    sources = ", ".join(f"{named} [RANGE {seconds:g}]" for named, seconds in pairs)
    links = [f"{one}.k = {other}.k" for one, other in pairwise(names)]
    where = " AND ".join([*links, *([condition] if condition else [])])
    text = f"SELECT * FROM {sources} WHERE {where}"
    workload = designed(name, streams, [text], execution, max(windows), tuples / sum(rates))
    return Design(kernel, workload, "join_order", (label,))
