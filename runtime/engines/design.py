"""A designed run: plans of a small workload that do much of some kinds of work."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.files.workload_file import load_workload
from planner.seconds.kernel_work import Kernel
from planner.workload.workload import Workload

Json = Mapping[str, Any]

NESTED: Json = {"join": "nested"}
HASH: Json = {"join": "hash"}
FIVE: Json = {"join": "hash", "buckets": 5}


@dataclass(frozen=True, slots=True)
class Design:
    """Plans of one workload that are run to calibrate a kernel.

    `merged`: they are chains of the same queries, which differ in how many slices are merged.
    """

    kernel: Kernel
    workload: Workload
    family: str
    plans: tuple[str, ...]
    merged: bool = False


def stream(name: str, rate: float, **distinct: int) -> Json:
    """A stream with so many values of each attribute."""
    attributes = {attribute: {"distinct": count} for attribute, count in distinct.items()}
    return {"name": name, "rate": rate, "attributes": attributes}


def designed(
    name: str,
    streams: Sequence[Json],
    queries: Sequence[str],
    execution: Json,
    warmup: float,
    duration: float,
    relations: Sequence[Json] = (),
) -> Workload:
    """A workload as a file would have it."""
    content = {
        "version": 1,
        "name": name,
        "streams": list(streams),
        "relations": list(relations),
        "queries": [{"name": f"Q{n}", "text": text} for n, text in enumerate(queries, 1)],
        "execution": dict(execution),
        "run": {"seed": 1, "warmup": warmup, "duration": duration},
    }
    return load_workload(json.dumps(content), name)
