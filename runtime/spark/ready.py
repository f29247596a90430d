"""Spark and the kernels made ready, at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from runtime.spark.session import session


def ready(master: str | None, shared: Path | None, load: Callable[[], None]) -> SparkSession:
    """The session, with kernels loaded: either takes seconds the first time."""
    loading = threading.Thread(target=load)
    loading.start()
    started = session(master, shared)
    loading.join()
    return started
