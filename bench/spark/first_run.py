"""The first run of a process beside a bare Spark session: what Sluice adds to starting Spark.

Both are commands of the same Python and Java. The bare session starts, counts one row and stops.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.measure import in_turns
from runtime.data.folders import PROJECT
from runtime.spark.java import find_java

ROUNDS = 3
SAMPLE = PROJECT / "sample_data" / "golab-table-5.yaml"
BARE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
assert spark.range(1).count() == 1
spark.stop()
"""


def first_run() -> dict[str, Any]:
    """Table 5 by command, its kernels compiled before, and a session that does nothing."""
    java = find_java()
    assert java is not None, "set up"
    with tempfile.TemporaryDirectory() as folder:
        around = {
            **os.environ,
            "JAVA_HOME": str(java),
            "PYSPARK_PYTHON": sys.executable,
            "SLUICE_HOME": str(Path(folder) / "home"),
        }
        # Compiles kernels that are not compiled yet, and warms the files of both.
        answers = {_run(around)}
        _command(["-c", BARE], around)
        timed = in_turns(
            {"run": lambda: _run(around), "bare": lambda: _command(["-c", BARE], around)}, ROUNDS
        )
    answers.add(timed["run"].outcome)
    ratios = [
        run / bare
        for run, bare in zip(timed["run"].all_seconds, timed["bare"].all_seconds, strict=True)
    ]
    return {
        "same answer": len(answers) == 1,
        "seconds": {name: median(found.all_seconds) for name, found in timed.items()},
        "times a bare session": median(ratios),
        "at least": min(ratios),
        "at most": max(ratios),
    }


def _run(around: dict[str, str]) -> str:
    options = ["--family", "join_order", "--plan", "best", "--json"]
    found = json.loads(_command(["-m", "runtime", "run", str(SAMPLE), *options], around))
    return str(found["answers"])


def _command(arguments: list[str], around: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=PROJECT,
        env=around,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return done.stdout
