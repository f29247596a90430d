"""The engines by family. A new one is one folder and one entry of ENGINES."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain, islice, zip_longest

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


def load_all_kernels(share: int = 0, shares: int = 1) -> None:
    """Compile or load the kernels of all engines, or a share of them: what most runs need first.

    Compiling keeps Python's lock for minutes in all: processes of their own do it
    (`python -m runtime.engines.registry [SHARE SHARES]`), and others load what they have written.
    """
    by_engine = [engine(family).loaders for family in ENGINES]
    loaders = filter(None, chain.from_iterable(zip_longest(*by_engine)))
    for load in islice(loaders, share, None, shares):
        load()


if __name__ == "__main__":
    load_all_kernels(*map(int, sys.argv[1:]))
