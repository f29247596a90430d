"""The engines by family. A new one is one folder and one line in ENGINES."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from itertools import chain, zip_longest

from planner.errors import RunError
from runtime.engines.protocol import Engine, Program

# By family the module of its engine: imported when a plan of it is first run.
ENGINES = {
    "join_order": "runtime.engines.joins.engine",
    "early_aggregation": "runtime.engines.aggregation.engine",
    "sliced_chain": "runtime.engines.slices.engine",
}


@cache
def engine(family: str) -> Engine:
    """The engine that runs plans of this family."""
    if family not in ENGINES:
        raise RunError(f"plans of the family {family} cannot be run yet", family)
    found: Engine = import_module(ENGINES[family]).ENGINE
    return found


def program_from_json(text: str) -> Program:
    """The program that `to_json` wrote."""
    content = json.loads(text)
    return engine(content.pop("family")).program(content)


def load_all_kernels() -> None:
    """Compile or load the kernels of all engines: what most runs need comes first.

    Compiling keeps Python's lock for a minute or so in all: a process of its own does it
    (`python -m runtime.engines.registry`), and others load what it has written.
    """
    by_engine = [engine(family).loaders() for family in ENGINES]
    for load in filter(None, chain.from_iterable(zip_longest(*by_engine))):
        load()


if __name__ == "__main__":
    load_all_kernels()
