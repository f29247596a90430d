"""Spark's Java process or a worker that ends before a run does: in one line, with what to do."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from socketserver import BaseServer
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException

from planner.errors import RunError
from runtime.backends.interruption import LimitReachedError

# Its sockets close a moment before the process is gone.
_LAST_SECONDS = 3.0
# As Spark says it.
_WORKER_ENDED = "Python worker exited unexpectedly"
_CONNECTION_LOST = (Py4JError, PySparkException, ConnectionError, EOFError, RunError)


@contextmanager
def said_if_a_process_dies(then: str) -> Iterator[None]:
    """A RunError that says so, and what to do then, if Java or a worker ends meanwhile."""
    _report_no_lost_connections()
    try:
        yield
    except LimitReachedError:
        raise
    except _CONNECTION_LOST as error:
        if _java_has_ended():
            raise _ended("Spark's Java process", then, "Java") from error
        if _WORKER_ENDED in f"{error} {error.__cause__}":
            raise _ended("a worker of Spark", then, "worker") from error
        raise


def _ended(process: str, then: str, place: str) -> RunError:
    text = f"{process} ended before the run: it was killed, or out of memory; {then}"
    return RunError(text, place)


def _report_no_lost_connections() -> None:
    """Py4J and Spark print a traceback for each of them, which says no more than we do."""
    # Py4J reports to the root of all loggers, too.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_not_of_py4j)
    server = getattr(SparkContext._active_spark_context, "_accumulatorServer", None)
    if server is not None:
        vars(server)["handle_error"] = partial(_report, server)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _report(server: BaseServer, request: Any, address: Any) -> None:
    if not isinstance(sys.exception(), (EOFError, ConnectionError)):
        BaseServer.handle_error(server, request, address)


def _java_has_ended() -> bool:
    gateway = SparkContext._gateway
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    if process is None:
        return False
    try:
        process.wait(_LAST_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True
