"""Designed aggregations over joins."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.engines.design import FIVE, HASH, NESTED, Design, designed, stream

# Tuples of windows, groups of both streams, values of the key, how windows are probed, seconds.
_ROWS = (
    (500, (15, 1), 10, HASH, 25.0),
    (500, (50, 5), 50, HASH, 40.0),
    (500, (20, 20), 5, HASH, 10.0),
    (1000, (300, 1), 20, HASH, 30.0),
    (1000, (40, 1), 100, HASH, 60.0),
    (2000, (100, 3), 40, FIVE, 15.0),
    (500, (30, 1), 100, NESTED, 20.0),
    (1000, (10, 10), 500, NESTED, 15.0),
    (9000, (20, 1), 500, HASH, 10.0),
)
_RATE = 300.0
_TWO = "S1 [RANGE {0}], S2 [RANGE {0}] WHERE S1.j = S2.j"
# What is aggregated over what, the window's seconds and the run's, tuples per second.
_OTHERS = (
    ("MAX(S1.x)", _TWO, 10, 40, 100.0),
    ("COUNT(*)", f"{_TWO} AND S2.x > 500", 10, 60, 100.0),
    ("COUNT(*)", f"{_TWO} AND S1.g = S2.g", 10, 60, 100.0),
    ("COUNT(*)", f"{_TWO} AND S1.g = S2.g", 200, 20, 100.0),
    ("SUM(S2.x)", "S1 [RANGE {0}], S2 [RANGE {0}], S3 [RANGE {0}] "
     "WHERE S1.j = S2.j AND S2.j = S3.j", 10, 40, 50.0),
    ("COUNT(*)", "S1 [LANDMARK], S2 [RANGE {0}], R WHERE S1.j = S2.j AND S1.x = R.x", 30, 60, 30.0),
    ("COUNT(*)", "S1 [LANDMARK], S2 [RANGE {0}] WHERE S1.j = S2.j", 100, 60, 20.0),
)  # fmt: skip


def aggregations() -> Iterator[Design]:
    """Late and early aggregation; extrema, filters, further keys, three sources, a relation."""
    for number, (window, groups, values, execution, seconds) in enumerate(_ROWS, 1):
        streams = [
            stream(f"S{n}", _RATE, j=values, x=1000, g=count) for n, count in enumerate(groups, 1)
        ]
        by = ", ".join(f"S{n}.g" for n, count in enumerate(groups, 1) if count > 1)
        text = (
            f"SELECT {by}, SUM(S1.x) FROM S1 [ROWS {window}], S2 [ROWS {window}] "
            f"WHERE S1.j = S2.j GROUP BY {by}"
        )
        warmup = window / _RATE + 1
        workload = designed(f"aggregation {number}", streams, [text], execution, warmup, seconds)
        yield Design("aggregation", workload, "early_aggregation", ("LAP", "EAP-10", "EAP-11"))
    relation = {"name": "R", "rows": 50, "attributes": {"x": {"distinct": 50}}}
    for number, (function, joined, window, seconds, rate) in enumerate(_OTHERS, len(_ROWS) + 1):
        text = f"SELECT S1.g, {function} FROM {joined.format(window)} GROUP BY S1.g"
        names = [name for name in ("S1", "S2", "S3") if f"{name} [" in text]
        values = 50 if "R WHERE" in text else 1000
        streams = [stream(name, rate, j=30, x=values, g=20) for name in names]
        sources = len(names) + ("R WHERE" in text)
        workload = designed(
            f"aggregation {number}",
            streams,
            [text],
            HASH,
            window,
            seconds,
            [relation] if sources > len(names) else [],
        )
        plans = ("LAP", f"EAP-{'1' * sources}")
        yield Design("aggregation", workload, "early_aggregation", plans)
