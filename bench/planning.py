"""How long the planner takes: all orders of eight streams, exact best orders of 12 and 20."""

from __future__ import annotations

from typing import Any

from bench.measuring import in_turns
from bench.workloads import join_of
from planner.families import family
from planner.workload import Workload


def planning() -> dict[str, Any]:
    """Seconds, best of some rounds."""
    join_order = family("join_order")
    eight, twelve, twenty = (_wide(streams) for streams in (8, 12, 20))
    timed = in_turns(
        {
            "8 streams, all orders ranked": lambda: join_order.rank(eight, None),
            "12 streams, exact best": lambda: join_order.best(twelve),
            "20 streams, exact best": lambda: join_order.best(twenty),
        },
        rounds=3,
    )
    return {
        "orders of 8 streams": timed["8 streams, all orders ranked"].outcome.considered,
        "seconds": {name: timing.seconds for name, timing in timed.items()},
    }


def _wide(streams: int) -> Workload:
    """Streams whose rates, windows and values all differ, so that no two orders cost the same."""
    return join_of(
        tuple((1 + 0.7 * n, 50 + 3 * n, 20 + (37 * n) % 90) for n in range(streams)), 1_000_000
    )
