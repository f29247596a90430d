"""The Spark session: one for this process, set for small and frequent micro-batches."""

from __future__ import annotations

import os
import re
import sys
import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from string import Template

import pyspark
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from planner.errors import RunError
from planner.files.whole_files import write_whole
from runtime.data.folders import PROJECT, home, kernels_folder, writable_home
from runtime.data.private_folders import check_trusted, make_private
from runtime.runs import processes
from runtime.runs.masters import is_local, own_address
from runtime.spark.cluster import check_executors, ship_modules
from runtime.spark.java import find_java
from runtime.spark.java_scratch import JavaScratch
from runtime.spark.spark_errors import cause

_lock = threading.Lock()
_scratch = JavaScratch()
# Which Python the user's cluster has, where it is not found at the same path as this one.
_GIVEN_PYTHON = os.environ.get("PYSPARK_PYTHON")
_MODULES = "spark.executorEnv.PYTHONPATH"

_FILES = Path(__file__).parent
_LONGEST_SOCKET_NAME = 100

# The heavy work is done by the kernels, outside Java: its second compiler and its parallel
# collector would only take the cores away from them (measured: half the processor time of a run).
# Spark matches the whole report of a query that was stopped, which a usual stack does not hold.
_DEEP_STACK = "-Xss8m"
LIGHT_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Classes that Java need not read from jars, made by the set-up. Another Java passes over the file.
CLASSES = Path(sys.prefix) / "spark-classes.jsa"


def cores() -> int:
    """How many tasks run at once on this machine."""
    return os.cpu_count() or 1


def session(
    master: str | None = None, shared: Path | None = None, java_options: str = LIGHT_JAVA
) -> SparkSession:
    """The session, started if need be. One master at a time: another one replaces the session.

    A cluster works in the folder `shared`, else in the data folder. Java's options hold from the
    start of its process until its end.
    """
    wanted = master or f"local[{cores()}]"
    with _lock:
        check_trusted(Path(os.environ["NUMBA_CACHE_DIR"]))
        around = _on_this_machine() if is_local(master) else _on_cluster(wanted, shared)
        # Spark knows an active session per thread only; runs and warming are threads of their own.
        context = SparkContext._active_spark_context
        if context is not None and not _answers(context):
            _forget_java()
        elif context is not None and not _serves(context, wanted, around):
            if _authentication(str(context.master)) == _authentication(wanted):
                context.stop()
            else:
                # Java keeps the settings that it was started with.
                end_java()
        elif context is not None:
            return SparkSession.builder.getOrCreate()
        started = _start(wanted, java_options, around)
        if not is_local(master):
            _check(started, writable_home(shared))
        return started


def _on_this_machine() -> dict[str, str]:
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        _MODULES: str(PROJECT),
        "spark.executorEnv.NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"],
    }


def _on_cluster(master: str, shared: Path | None) -> dict[str, str]:
    """Settings by which executors find this process, our modules and compiled kernels."""
    address = own_address(master)
    folder = writable_home(shared)
    return {
        "spark.driver.host": address,
        "spark.driver.bindAddress": address,
        _MODULES: str(ship_modules(folder)),
        "spark.executorEnv.NUMBA_CACHE_DIR": str(kernels_folder(folder)),
    }


def _serves(context: SparkContext, master: str, around: Mapping[str, str]) -> bool:
    """Whether this context is on the master that is asked for, with the modules as they are now."""
    conf: SparkConf = context.getConf()
    return context.master == master and conf.get(_MODULES) == around[_MODULES]


def _check(started: SparkSession, folder: Path) -> None:
    try:
        check_executors(started.sparkContext, folder)
    except RunError:
        # The next run is to ask again, not to meet a session that cannot work.
        end_java()
        raise


def _answers(context: SparkContext) -> bool:
    """Whether the context's Java process is there and at work."""
    try:
        return not context._jsc.sc().isStopped()
    except (Py4JError, OSError):
        return False


def _forget_java() -> None:
    """Let go of a Java process that has died, so that the next session starts another."""
    if SparkContext._gateway is not None:
        SparkContext._gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None


def _start(master: str, java_options: str, around: Mapping[str, str]) -> SparkSession:
    java_home = find_java()
    if java_home is None:
        raise RunError("Spark needs Java 17 or newer; run ./start --setup, which gets one", "Java")
    os.environ["JAVA_HOME"] = str(java_home)
    # Workers must be this Python, and find this project's modules and compiled kernels.
    here = is_local(master)
    os.environ["PYSPARK_PYTHON"] = (None if here else _GIVEN_PYTHON) or sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    scratch = make_private(home()) / "spark"
    scratch.mkdir(parents=True, exist_ok=True)
    settings = {
        **_defaults(),
        **around,
        **_authentication(master),
        "spark.driver.extraJavaOptions": " ".join(
            (_DEEP_STACK, java_options, *_shared_classes(java_options), _log_settings(scratch))
        ),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
    }
    if SparkContext._gateway is None:
        # A Java process that goes on keeps the folder that it was started with.
        own = _scratch.begin(scratch)
        settings["spark.local.dir"] = str(own)
        if here:
            settings.update(_sockets(own))
        settings["spark.driver.extraJavaOptions"] += f' "-Djava.io.tmpdir={own}"'
    conf = SparkConf().setMaster(master).setAppName("Sluice").setAll(list(settings.items()))
    try:
        SparkContext._ensure_initialized(conf=conf)
        gateway = SparkContext._gateway
        if gateway is not None and gateway.proc is not None:
            # Java, and with it what it starts: Python's workers among them.
            processes.started(gateway.proc.pid)
        started = SparkSession.builder.config(conf=conf).getOrCreate()
    except Exception as error:
        if here:
            raise RunError(f"Spark did not start on {master}: {cause(error)}", "Spark") from error
        raise RunError(
            f"no Spark master took this program in at {master}; see that one listens there, and "
            f"that it is of Spark {pyspark.__version__} ({cause(error)})",
            "--master",
        ) from error
    return started


def _authentication(master: str) -> dict[str, str]:
    """Only who knows the secret of this process speaks to it. Spark makes one up by itself.

    A standalone cluster has one secret for all its processes: its administrator's settings
    (SPARK_CONF_DIR) say whether there is one.
    """
    return {} if master.startswith("spark:") else {"spark.authenticate": "true"}


def _sockets(folder: Path) -> dict[str, str]:
    """Java and its workers talk through files of this folder: a third less time for each job.

    Linux takes no longer names than this; then they talk through ports.
    """
    longest = folder / f".{uuid.uuid4()}.sock"
    if len(os.fsencode(longest)) > _LONGEST_SOCKET_NAME:
        return {}
    return {
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.unix.domain.socket.dir": str(folder),
    }


def _shared_classes(java_options: str) -> list[str]:
    if not CLASSES.is_file() or "ArchiveClassesAtExit" in java_options:
        return []
    check_trusted(CLASSES)
    quiet = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")
    return ["-Xshare:auto", f'"-XX:SharedArchiveFile={CLASSES}"', *quiet]


def end_java() -> None:
    """Stop the session, and wait until its Java process has ended by itself."""
    gateway = SparkContext._gateway
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()
    _forget_java()
    if gateway is not None and gateway.proc is not None:
        gateway.proc.stdin.close()
        gateway.proc.wait()


def _defaults() -> dict[str, str]:
    text = _FILES.joinpath("spark-defaults.conf").read_text()
    return dict(re.findall(r"^(spark\S*)\s+(\S+)$", text, re.MULTILINE))


def _log_settings(scratch: Path) -> str:
    """Spark's own log goes to a file: what concerns a user is said by Sluice, in one message."""
    file = scratch / "log4j2.properties"
    template = Template(_FILES.joinpath("log4j2.properties").read_text())
    write_whole(file, template.substitute(folder=scratch).encode())
    return f"-Dlog4j2.configurationFile={file.as_uri()}"


def ready(master: str | None, shared: Path | None, load: Callable[[], None]) -> SparkSession:
    """The session, with kernels loaded: either takes seconds the first time."""
    # Before any kernel is loaded.
    check_trusted(Path(os.environ["NUMBA_CACHE_DIR"]))
    loading = threading.Thread(target=load)
    loading.start()
    started = session(master, shared)
    loading.join()
    return started
