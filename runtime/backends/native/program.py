"""A plan as the text of a PySpark program that needs nothing of ours.

What a user wrote is embedded as Python literals alone, in SQL as literals that sqlglot escapes;
every other name is one of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sqlglot import exp

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native.description import Input, NativeJoin, NativePlan
from runtime.runs.result_files import safe_file_name

_TEMPLATE = Path(__file__).with_name("exported_program.txt")


def program_text(native: NativePlan, plan: Plan, workload: Workload) -> str:
    """The program: what is read, joined and taken as constants, and how it is carried out."""
    constants = [
        f"WORKLOAD = {workload.name!r}",
        f"PLAN = {f'{plan.family} {plan.label}'!r}",
        "# Every join: its inputs (file, number of its view, attributes, kind), and its SQL.",
        "JOINS = [",
        *(line for join in native.joins for line in _join(join)),
        "]",
        "# Every query: its name, the folder of its results, the aliases of its sources, and the",
        "# SQL of the parts of its results: the seq of each member, and the time.",
        "QUERIES = [",
        *(
            line
            for number in range(len(native.queries))
            for line in _query(native, number, workload)
        ),
        "]",
    ]
    return _TEMPLATE.read_text(encoding="utf-8").replace("{constants}", "\n".join(constants))


def _join(join: NativeJoin) -> Iterator[str]:
    yield from (f"    # {step.name!r}" for step in join.steps)
    yield "    ("
    yield "        ["
    yield from (f"            {_input(given)}," for given in join.inputs)
    yield "        ],"
    yield from _sql(join.select(), 8)
    yield "    ),"


def _input(given: Input) -> str:
    kind = "stream" if given.is_stream else "relation"
    return repr((given.table, given.number, list(given.attributes), kind))


def _query(native: NativePlan, number: int, workload: Workload) -> Iterator[str]:
    query = workload.query(native.queries[number])
    yield "    ("
    for value in (query.name, safe_file_name(query.name), [s.alias for s in query.sources]):
        yield f"        {value!r},"
    yield "        ["
    for taking in native.takings:
        if taking.query == number:
            yield from _sql(native.select(taking), 12)
    yield "        ],"
    yield "    ),"


def _sql(query: exp.Select, indent: int) -> Iterator[str]:
    """SQL as a Python literal, line by line."""
    *lines, last = query.sql(dialect="spark", pretty=True).split("\n")
    for line in lines:
        yield " " * indent + repr(line + "\n")
    yield " " * indent + repr(last) + ","
