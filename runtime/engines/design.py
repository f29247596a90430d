"""Designed runs: plans of small workloads that do much of some kinds of work.

Each engine lists its own in a file `designs.yaml` beside it, by kernel.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any

from planner.files.safe_yaml import read_yaml
from planner.files.workload_file import load_workload
from planner.seconds.kernel_work import Kernel
from planner.workload.workload import Workload
from runtime.engines.registry import ENGINES


@dataclass(frozen=True, slots=True)
class Design:
    """Plans of one workload that are run to calibrate a kernel.

    `merged`: they are chains of the same queries, which differ in how many slices are merged.
    `keeps_rows`: the rows of results are kept, as they are where they are to be written.
    """

    kernel: Kernel
    workload: Workload
    family: str
    plans: tuple[str, ...]
    merged: bool = False
    keeps_rows: bool = False


def designs() -> tuple[Design, ...]:
    """The designed runs of all engines."""
    return tuple(design for family in ENGINES for design in _designs_of(family))


def _designs_of(family: str) -> Iterator[Design]:
    module = import_module(ENGINES[family].engine)
    file = Path(str(module.__file__)).with_name("designs.yaml")
    listed: Any = read_yaml(file.read_bytes()) if file.is_file() else {}
    for kernel, entries in listed.items():
        for number, entry in enumerate(entries, 1):
            workload = designed(f"{kernel} {number}", entry)
            plans = tuple(entry["plans"])
            flags = entry.get("merged", False), entry.get("keeps_rows", False)
            yield Design(kernel, workload, family, plans, *flags)


def designed(name: str, entry: Mapping[str, Any]) -> Workload:
    """The workload of an entry: streams with a rate and so many values of each attribute.

    It runs for a `duration` in seconds, or until so many `tuples` have come after its `warmup`.
    """
    streams: list[dict[str, Any]] = []
    for stream, numbers in entry["streams"].items():
        distinct = {key: {"distinct": count} for key, count in numbers.items() if key != "rate"}
        streams.append({"name": stream, "rate": numbers["rate"], "attributes": distinct})
    rate = sum(stream["rate"] for stream in streams)
    duration = entry["tuples"] / rate if "tuples" in entry else entry["duration"]
    content = {
        "version": 1,
        "name": name,
        "streams": streams,
        "relations": entry.get("relations", []),
        "queries": [{"name": f"Q{n}", "text": text} for n, text in enumerate(_texts(entry), 1)],
        "execution": entry["execution"],
        "run": {"seed": 1, "warmup": entry["warmup"], "duration": duration},
    }
    return load_workload(json.dumps(content), name)


def _texts(entry: Mapping[str, Any]) -> Iterator[str]:
    """Its one query, or one for each of its windows, which have its conditions in turn."""
    conditions = cycle(entry.get("conditions", [""]))
    for window, condition in zip(entry.get("windows", [""]), conditions, strict=False):
        text = entry["query"].replace("{window}", str(window))
        yield f"{text} AND {condition}" if condition else text
