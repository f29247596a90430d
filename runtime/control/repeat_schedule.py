"""A series: plans run again and again, in an order by which no drift favours one of them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from numpy.random import default_rng

from planner.workload.validation import whole
from runtime.runs.records import RunRequest

MOST_REPEATS = 20


def repeated(requests: Sequence[RunRequest], repeats: int) -> list[RunRequest]:
    """Every request so many times: round by round, each round in an order of its own.

    A machine that grows warm or busy slows down whole rounds then, not single plans. The orders
    follow from the workload's seed. What is run once keeps the order it has.
    """
    whole(repeats, "repeats", MOST_REPEATS)
    if repeats == 1 or not requests:
        return list(requests)
    series = uuid.uuid4().hex[:8]
    order = default_rng(requests[0].workload.run.seed)
    return [
        _repeat(requests[place], series, number)
        for number in range(1, repeats + 1)
        for place in order.permutation(len(requests))
    ]


def _repeat(request: RunRequest, series: str, number: int) -> RunRequest:
    results = request.results
    if results is not None:
        # A folder of results belongs to one run.
        results = results.with_name(f"{results.name}-{number}")
    return replace(request, series=series, repeat=number, results=results)
