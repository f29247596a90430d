"""A plan as the text of a PySpark program that needs nothing of ours.

What a user wrote is embedded as Python literals alone; every other name is one of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.backends.native.description import (
    SEQ,
    TS,
    All,
    AnyOf,
    Condition,
    Fails,
    Input,
    Join,
    NativeJoins,
    Taking,
    column_of,
)
from runtime.runs.result_files import safe_file_name

# What Python writes otherwise than a query does.
_SYMBOLS = {"=": "==", "<>": "!="}


def program_text(native: NativeJoins, plan: Plan, workload: Workload) -> str:
    """The program: constants, how files are read, the joins, and what is printed."""
    parts = [
        _HEAD,
        _constants(native, plan, workload),
        _READING,
        *(_join_function(number, join) for number, join in enumerate(native.joins)),
        _results_function(native),
        _TAIL,
    ]
    return "\n\n".join(part.strip("\n") + "\n" for part in parts)


def _constants(native: NativeJoins, plan: Plan, workload: Workload) -> str:
    queries = [workload.query(name) for name in native.queries]
    lines = [
        f"WORKLOAD = {workload.name!r}",
        f"PLAN = {f'{plan.family} {plan.label}'!r}",
        "# Every query: its name, the folder of its results, and the aliases of its sources.",
        "QUERIES = [",
        *(
            f"    ({q.name!r}, {safe_file_name(q.name)!r}, {[s.alias for s in q.sources]!r}),"
            for q in queries
        ),
        "]",
    ]
    return "\n".join(lines)


def _join_function(number: int, join: Join) -> str:
    lines = [f"def join_{number}(read):", f"    rows = {_read(join.first)}"]
    for step, told in zip(join.steps, join.names, strict=True):
        lines.append(f"    # {told!r}")
        lines.append("    rows = rows.join(")
        lines.append(f"        {_read(step.input)},")
        lines += _conjunction(step.tests, 8)
        lines.append("    )")
    return "\n".join([*lines, "    return rows"])


def _read(given: Input) -> str:
    kind = "stream" if given.is_stream else "relation"
    text = f"read({given.table!r}, {given.number}, {list(given.attributes)!r}, {kind!r})"
    if given.tests:
        text += f".where({_every(given.tests)})"
    return text


def _conjunction(tests: Sequence[Condition], indent: int) -> Iterator[str]:
    for place, test in enumerate(tests):
        yield f"{' ' * indent}{'& ' if place else ''}{_grouped(test)}"


def _grouped(test: Condition) -> str:
    return f"({_text(test)})"


def _every(tests: Sequence[Condition]) -> str:
    if len(tests) == 1:
        return _text(tests[0])
    return " & ".join(map(_grouped, tests)) or "F.lit(True)"


def _text(test: Condition) -> str:
    if isinstance(test, All):
        return _every(test.tests)
    if isinstance(test, AnyOf):
        if len(test.tests) == 1:
            return _text(test.tests[0])
        return " | ".join(map(_grouped, test.tests))
    if isinstance(test, Fails):
        return f"~F.coalesce({_text(test.test)}, F.lit(False))"
    right = f"F.lit({test.constant!r})"
    if test.right is not None:
        right = f"F.col({test.right!r})"
        if test.constant:
            right += f" + F.lit({test.constant!r})"
    symbol = _SYMBOLS.get(test.comparison, test.comparison)
    return f"F.col({test.left!r}) {symbol} {right}"


def _results_function(native: NativeJoins) -> str:
    lines = [
        "def results(read):",
        '    """For every query the parts of its results: the seq of each member, and the time."""',
        f"    joins = [{', '.join(f'join_{n}(read)' for n in range(len(native.joins)))}]",
        "    return {",
    ]
    for query in range(len(native.queries)):
        lines.append(f"        {query}: [")
        for taking in native.takings:
            if taking.query == query:
                lines += _taken(taking, native.joins[taking.join])
        lines.append("        ],")
    return "\n".join([*lines, "    }"])


def _taken(taking: Taking, join: Join) -> Iterator[str]:
    rows = f"joins[{taking.join}]"
    if taking.tests:
        rows += f".where({_every(taking.tests)})"
    seqs = [column_of(number, SEQ) for number in taking.members]
    times = [given.column(TS) for given in join.inputs if given.is_stream]
    yield f"            taken({rows}, {seqs!r}, {times!r}),"


_HEAD = '''
"""A sliding-window join as one batch job of Spark's own operators.

    spark-submit program.py --data FOLDER [--out DIR]

FOLDER holds NAME.parquet for every stream and relation; README.md says which columns each needs.
Printed is one line of JSON: how many results every query has, and a digest of them that does not
depend on their order. `--out` also writes the results, a folder of Parquet files for each query.
"""

import argparse
import json
import re
from functools import reduce

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
'''

_READING = '''
# From when to when a row of a relation is there, where nothing is said.
FOREVER = {"begin": -(2**63), "end": 2**63 - 1}


def kind_of(rows, name):
    """The type of a column; a message where there is none."""
    if name not in rows.columns:
        file = rows.inputFiles()[0] if rows.inputFiles() else "a file"
        raise SystemExit(f"{file} has no column {name!r}; it has {', '.join(rows.columns)}")
    return dict(rows.dtypes)[name]


def micros(rows, name):
    """A column of times in whole microseconds: of seconds as a number, or of timestamps."""
    kind, column = kind_of(rows, name), quoted(name)
    if kind.startswith("timestamp") or kind == "date":
        return F.unix_micros(column.cast("timestamp"))
    return F.rint(column.cast("double") * 1e6).cast("long")


def value(rows, name):
    """A column of values: whole numbers, other numbers (NaN is a missing one), or text."""
    kind, column = kind_of(rows, name), quoted(name)
    if kind == "string":
        return column
    if kind.startswith("timestamp") or kind == "date":
        return F.unix_micros(column.cast("timestamp"))
    if kind in ("double", "float") or kind.startswith("decimal"):
        number = column.cast("double")
        return F.when(~F.isnan(number), number)
    return column.cast("long")


def quoted(name):
    """A column by its name, whatever stands in it."""
    return F.col("`" + name.replace("`", "``") + "`")


def reader(spark, folder):
    """Reads an input: its columns get the number of the input before their names."""

    def read(table, number, attributes, kind):
        file = re.sub(r"([\\\\{}\\[\\]*?])", r"\\\\\\1", table) + ".parquet"
        rows = spark.read.parquet(folder.rstrip("/") + "/" + file)
        # A row is known by its position in the file.
        columns = [F.col("_metadata.row_index").alias(f"s{number}_seq")]
        if kind == "stream":
            columns.append(micros(rows, "ts").alias(f"s{number}_ts"))
        else:
            for name, missing in FOREVER.items():
                given = micros(rows, name) if name in rows.columns else F.lit(None)
                column = F.coalesce(given, F.lit(missing).cast("long"))
                columns.append(column.alias(f"s{number}_{name}"))
        for place, name in enumerate(attributes):
            columns.append(value(rows, name).alias(f"s{number}_a{place}"))
        return rows.select(*columns)

    return read


def taken(rows, seqs, times):
    """Results with their members in the order of FROM, and the time of the last to arrive."""
    last = F.greatest(*times) if len(times) > 1 else F.col(times[0])
    members = [F.col(seq).alias(f"m{place}") for place, seq in enumerate(seqs)]
    return rows.select(*members, last.alias("ts"))
'''

_TAIL = '''
def digest(rows, members):
    """How many results there are, and the sum of their hashes modulo 2^64, in hexadecimal."""
    hashes = [F.xxhash64(F.lit(n).cast("long"), F.col(f"m{n}")) for n in range(members)]
    hashed = rows.select(F.xxhash64(reduce(lambda a, b: a.bitwiseXOR(b), hashes)).alias("hash"))
    # Two halves: a sum of 64-bit hashes would overflow.
    found = hashed.agg(
        F.count(F.lit(1)).alias("results"),
        F.sum(F.col("hash").bitwiseAND(F.lit(0xFFFFFFFF))).alias("low"),
        F.sum(F.shiftrightunsigned("hash", 32)).alias("high"),
    ).first()
    total = ((found["high"] or 0) << 32) + (found["low"] or 0)
    return found["results"], f"{total % 2**64:016x}"


def main():
    parser = argparse.ArgumentParser(description=f"{WORKLOAD}: {PLAN}".replace("%", "%%"))
    parser.add_argument("--data", metavar="FOLDER", required=True)
    parser.add_argument("--out", metavar="DIR", help="write the results there")
    options = parser.parse_args()
    spark = SparkSession.builder.appName("plan").getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    told = {"workload": WORKLOAD, "plan": PLAN, "results": {}, "answers": {}}
    try:
        found = results(reader(spark, options.data))
    except AnalysisException as error:
        # A file that is not there, or a column of another type.
        raise SystemExit(str(error).splitlines()[0]) from None
    for number, parts in found.items():
        name, folder, aliases = QUERIES[number]
        rows = reduce(lambda a, b: a.union(b), parts)
        told["results"][name], told["answers"][name] = digest(rows, len(aliases))
        if options.out:
            members = [F.col(f"m{n}").alias(f"{alias}.seq") for n, alias in enumerate(aliases)]
            seconds = (F.col("ts") / F.lit(1e6)).alias("ts")
            file = options.out.rstrip("/") + "/" + folder
            rows.select(*members, seconds).write.mode("overwrite").parquet(file)
    print(json.dumps(told))
    spark.stop()


if __name__ == "__main__":
    main()
'''
