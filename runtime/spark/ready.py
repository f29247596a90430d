"""Spark and the kernels of a program made ready, at the same time."""

from __future__ import annotations

import threading
from pathlib import Path

from pyspark.sql import SparkSession

from runtime.programs.program import Program
from runtime.spark.session import session


def ready(master: str | None, shared: Path | None, program: Program) -> SparkSession:
    """The session, with the program's kernels loaded: either takes seconds the first time."""
    loading = threading.Thread(target=program.load)
    loading.start()
    started = session(master, shared)
    loading.join()
    return started
