"""The engines by family. A new one is one folder and one entry of ENGINES."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain, zip_longest

from planner.errors import RunError
from runtime.data.json_records import from_json
from runtime.engines.protocol import Engine, Program


@dataclass(frozen=True, slots=True)
class Modules:
    """The module of an engine, and that which describes its plans for Spark's own operators.

    Each is imported when a plan is first run on it. Not every plan can be described.
    """

    engine: str
    native: str | None = None


_ENGINES, _NATIVE = "runtime.engines", "runtime.backends.native"
ENGINES = {
    "join_order": Modules(f"{_ENGINES}.join_order.engine", f"{_NATIVE}.joins"),
    "early_aggregation": Modules(
        f"{_ENGINES}.early_aggregation.engine", f"{_NATIVE}.early_aggregation"
    ),
    "sliced_chain": Modules(f"{_ENGINES}.sliced_chain.engine", f"{_NATIVE}.sliced_chain"),
    "shared_schedule": Modules(f"{_ENGINES}.shared_schedule.engine"),
    "load_shedding": Modules(f"{_ENGINES}.load_shedding.engine"),
}


@cache
def engine(family: str) -> Engine:
    """The engine that runs plans of this family."""
    if family not in ENGINES:
        raise RunError(f"plans of the family {family} cannot be run yet", family)
    found: Engine = import_module(ENGINES[family].engine).ENGINE
    return found


def program_from_json(text: str) -> Program:
    """The program that `to_json` wrote."""
    content = json.loads(text)
    module, name = content.pop("program")
    found: Program = from_json(getattr(import_module(module), name), content)
    return found


def load_all_kernels() -> None:
    """Compile or load the kernels of all engines: what most runs need comes first.

    Compiling keeps Python's lock for a minute or so in all: a process of its own does it
    (`python -m runtime.engines.registry`), and others load what it has written.
    """
    by_engine = [engine(family).loaders for family in ENGINES]
    for load in filter(None, chain.from_iterable(zip_longest(*by_engine))):
        load()


if __name__ == "__main__":
    load_all_kernels()
