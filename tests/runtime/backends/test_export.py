"""A plan exported as a program of its own: safe whatever its user's names, with the same answer."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pyspark
import pytest
import sqlglot
from sqlglot import exp

from planner.errors import RunError
from planner.families.registry import family
from planner.files.tuple_table import Table
from planner.files.workload_file import dump_workload, load_workload
from planner.plan.plan import Plan
from planner.statistics.generate import generate
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload
from runtime.__main__ import main
from runtime.backends.native.export import exported, zipped
from runtime.data.data_writer import write_folder
from runtime.data.feed import Span
from runtime.engines.kernels.digest import as_text
from runtime.spark.java import find_java
from runtime.spark.session import LIGHT_JAVA
from tests.planner.aggregations import AGGREGATION_SAMPLES
from tests.planner.chains import CHAIN_SAMPLES, FILTERED, joins
from tests.runtime.backends.test_native_description import ABSENT, ATTRIBUTE, STREAM, TEXT, odd
from tests.runtime.driving import counted, feed_of


def _plan(workload: Workload, name: str = "join_order", label: str = "") -> Plan:
    known = family(name)
    return known.space(workload).plan(label) if label else known.space(workload).best()


def _answers(plan: Plan, workload: Workload, tables: dict[str, Table]) -> dict[str, str]:
    tally = counted(plan, workload, feed_of(plan, workload)(workload, tables), Span(0, 1))
    found = tally.by_query or {workload.queries[0].name: (tally.results, tally.digest)}
    assert all(results for results, _ in found.values())
    return {query: as_text(digest) for query, (_, digest) in found.items()}


def _submit(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    plain = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    own = {"JAVA_HOME": str(find_java()), "PYSPARK_PYTHON": sys.executable, **plain}
    command = [str(submit), "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    command += ["--conf", "spark.sql.shuffle.partitions=2", "--driver-java-options", LIGHT_JAVA]
    return subprocess.run(
        [*command, str(program), *options],
        capture_output=True,
        check=False,
        text=True,
        env=own,
        cwd=program.parent,
    )


def test_odd_names_stay_literals() -> None:
    files = exported(_plan(odd()), odd())
    tree = ast.parse(files["program.py"])
    literals = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert {STREAM, ATTRIBUTE, 'Q"""1/..', 'odd \'""" names'} <= literals
    imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert imported == {"functools", "pyspark.errors", "pyspark.sql"}


def test_sql_has_no_name_of_a_user_and_their_text_in_literals_alone() -> None:
    tree = ast.parse(exported(_plan(odd()), odd())["program.py"])
    texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    queries = [t for t in texts if isinstance(t, str) and t.startswith("SELECT\n")]
    parsed = [sqlglot.parse_one(query, dialect="spark") for query in queries]
    assert len(parsed) == 2
    names = {name.name for query in parsed for name in query.find_all(exp.Identifier)}
    assert all(re.fullmatch(r"s\d(_\w+)?|join_0|m\d|ts", name) for name in names)
    literals = [lit.name for query in parsed for lit in query.find_all(exp.Literal)]
    # Spark would replace what ${} names.
    assert "${" not in "".join(queries)
    numbers = {lit for lit in literals if lit.isdigit()} | {"2.5"}
    assert sorted("".join(lit for lit in literals if lit not in numbers)) == sorted(ABSENT + TEXT)


def test_every_chain_is_written_as_python() -> None:
    workload = CHAIN_SAMPLES["fifteen windows"]
    for label in ("unshared", "pull-up", "push-down", "mem-opt"):
        text = exported(_plan(workload, "sliced_chain", label), workload)["program.py"]
        compile(text, label, "exec")


def test_the_zip_holds_what_the_command_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "w.yaml"
    file.write_text(dump_workload(odd()))
    assert main(["export", str(file), str(tmp_path / "out"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    workload = load_workload(file.read_text())
    packed = zipfile.ZipFile(io.BytesIO(zipped(_plan(workload), workload)))
    assert sorted(packed.namelist()) == ["README.md", "program.py"]
    for name in document["files"]:
        assert packed.read(Path(name).name).decode() == Path(name).read_text()
    assert "S{1}'`.parquet: ts, a b.`" in packed.read("README.md").decode()


def test_what_spark_cannot_express_is_not_exported() -> None:
    workload = CHAIN_SAMPLES["count windows"]
    with pytest.raises(RunError, match="has the window"):
        exported(_plan(workload, "sliced_chain", "pull-up"), workload)
    workload = AGGREGATION_SAMPLES["tumbling"]
    with pytest.raises(RunError):
        exported(_plan(workload, "early_aggregation", "LAP"), workload)


@pytest.mark.spark
def test_the_program_gives_the_answer_of_the_kernels(tmp_path: Path) -> None:
    """By spark-submit, away from our modules: a join with odd names, and its results as files."""
    workload = odd()
    tables = generate(workload, 25.0, 1)
    write_folder(tables, tmp_path / "data")
    plan = _plan(workload)
    (tmp_path / "program.py").write_text(exported(plan, workload)["program.py"])
    ended = _submit(tmp_path / "program.py", "--data", "data", "--out", "out")
    assert ended.returncode == 0, ended.stderr[-2000:]
    told = json.loads(ended.stdout)
    assert told["answers"] == _answers(plan, workload, tables)
    assert list((tmp_path / "out").glob("*/part-*.parquet"))


@pytest.mark.slow
@pytest.mark.spark
def test_the_program_of_a_chain_gives_the_answers_of_all_queries(tmp_path: Path) -> None:
    workload = replace(joins(FILTERED, rates=(8, 10)), run=RunSettings(1, 5, 20))
    tables = generate(workload, 25.0, 1)
    write_folder(tables, tmp_path / "data")
    plan = _plan(workload, "sliced_chain", "mem-opt")
    (tmp_path / "program.py").write_text(exported(plan, workload)["program.py"])
    ended = _submit(tmp_path / "program.py", "--data", "data")
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert json.loads(ended.stdout)["answers"] == _answers(plan, workload, tables)
    missing = _submit(tmp_path / "program.py", "--data", "nowhere")
    assert missing.returncode != 0
    # spark-submit sends whatever a program says to its own stdout.
    assert "PATH_NOT_FOUND" in missing.stdout
    assert "Traceback" not in missing.stdout
