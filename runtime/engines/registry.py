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
from runtime.engines.trace import Watched, Watcher
from runtime.engines.watching.sketched import load_sketching


@dataclass(frozen=True, slots=True)
class Modules:
    """The module of an engine, that which describes its plans for Spark's own operators, and that
    which watches them tuple by tuple.

    Each is imported when a plan is first run on it. Not every plan can be described or watched.
    """

    engine: str
    native: str | None = None
    watcher: str | None = None


_ENGINES, _NATIVE = "runtime.engines", "runtime.backends.native"
ENGINES = {
    "join_order": Modules(
        f"{_ENGINES}.join_order.engine", f"{_NATIVE}.joins", f"{_ENGINES}.join_order.trace"
    ),
    "early_aggregation": Modules(
        f"{_ENGINES}.early_aggregation.engine",
        f"{_NATIVE}.early_aggregation",
        f"{_ENGINES}.early_aggregation.trace",
    ),
    "sliced_chain": Modules(
        f"{_ENGINES}.sliced_chain.engine",
        f"{_NATIVE}.sliced_chain",
        f"{_ENGINES}.sliced_chain.trace",
    ),
    "shared_schedule": Modules(
        f"{_ENGINES}.shared_schedule.engine", watcher=f"{_ENGINES}.shared_schedule.trace"
    ),
    "load_shedding": Modules(
        f"{_ENGINES}.load_shedding.engine", watcher=f"{_ENGINES}.load_shedding.trace"
    ),
}


@cache
def engine(family: str) -> Engine:
    """The engine that runs plans of this family."""
    if family not in ENGINES:
        raise RunError(f"plans of the family {family} cannot be run yet", family)
    found: Engine = import_module(ENGINES[family].engine).ENGINE
    return found


def watcher(watched: Watched) -> Watcher | None:
    """A plain simulation of a plan that shows what its steps look at; None where there is none."""
    module = ENGINES[watched.plan.family].watcher
    return None if module is None else import_module(module).watcher(watched)


def fills_quickly(family: str) -> bool:
    """Whether the watcher of a family fills windows without comparing what it stores."""
    module = ENGINES[family].watcher
    return module is not None and getattr(import_module(module), "FILLS_QUICKLY", False)


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
    loaders = chain(filter(None, chain.from_iterable(zip_longest(*by_engine))), [load_sketching])
    for load in islice(loaders, share, None, shares):
        load()


if __name__ == "__main__":
    load_all_kernels(*map(int, sys.argv[1:]))
