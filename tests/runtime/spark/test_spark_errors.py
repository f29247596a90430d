"""Spark's long reports, told in the one line that helps."""

from __future__ import annotations

import pytest

from runtime.spark.spark_errors import cause

REPORTS = {
    "a Python worker's": (
        "Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent "
        "failure: Lost task 0.0: org.apache.spark.api.python.PythonException: Traceback (most\n"
        '  File "worker.py", line 40, in step_through\n'
        "    raise RunError(\n"
        "planner.errors.RunError: --results: over 100,000,000 rows to write\n"
        "\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(x.scala:1)\n",
        "--results: over 100,000,000 rows to write",
    ),
    "what Java names last": (
        "    raise Py4JJavaError(\n"
        "py4j.protocol.Py4JJavaError: An error occurred while calling o254.collectToPython.\n"
        ": org.apache.spark.SparkException: [CANNOT_LOAD_STATE_STORE] An error occurred\n"
        "\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotLoadStore(x.scala:2941)\n"
        "Caused by: org.apache.hadoop.fs.ChecksumException: Checksum error: 1.delta\n"
        "Caused by: java.io.EOFException\n",
        "ChecksumException: Checksum error: 1.delta",
    ),
    "no error by name": ("Input length = 1\n\nand more", "Input length = 1"),
    "nothing": ("", "Exception"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_the_line_that_says_what_happened(name: str) -> None:
    report, expected = REPORTS[name]
    assert cause(Exception(report)) == expected


def test_it_is_never_long() -> None:
    assert len(cause(ValueError("x" * 10_000))) == 500
