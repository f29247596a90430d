"""How long the planner takes: all orders of eight streams, exact best plans of 12 and 20.

Every round plans a join that was never planned before: the planner caches what it has worked out.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import Any

from bench.measure import in_turns
from bench.workloads import SHAPES, graph_of, join_of
from planner.families.join_order.model import model_of
from planner.families.join_order.search import best_general
from planner.families.registry import family
from planner.workload.workload import Workload

_NUMBERS = count()


def planning() -> dict[str, Any]:
    """Seconds, best of some rounds."""
    join_order = family("join_order")
    timed = in_turns(
        {
            "8 streams, all orders ranked": lambda: join_order.rank(_wide(8), None),
            "12 streams, exact best": lambda: join_order.best(_wide(12)),
            "20 streams, exact best": lambda: join_order.best(_wide(20)),
            **{
                f"12 streams in a {shape}, exact best for each origin": partial(
                    _per_origin, shape, 12
                )
                for shape in SHAPES
            },
        },
        rounds=3,
    )
    return {
        "orders of 8 streams": timed["8 streams, all orders ranked"].outcome.considered,
        "seconds": {name: timing.seconds for name, timing in timed.items()},
    }


def _wide(streams: int) -> Workload:
    """Streams whose rates, windows and values all differ, so that no two orders cost the same."""
    return join_of(_parameters(streams), 1_000_000)


def _per_origin(shape: str, streams: int) -> str:
    """The label of the best general plan of a join graph."""
    model = model_of(graph_of(_parameters(streams), shape))
    return best_general(model)[0].label


def _parameters(streams: int) -> tuple[tuple[float, float, int], ...]:
    another = 1 + next(_NUMBERS) / 1_000_000
    return tuple((another + 0.7 * n, 50 + 3 * n, 20 + (37 * n) % 90) for n in range(streams))
