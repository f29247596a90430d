"""A standalone Spark cluster on loopback: a master and workers of one core each."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from runtime.spark.java import find_java

_SPARK = Path(pyspark.__file__).parent
_PATIENCE_SECONDS = 600.0


@dataclass
class Cluster:
    """Where its master listens, and the processes of its workers."""

    master: str
    workers: list[subprocess.Popen[bytes]]

    def kill_a_worker(self) -> None:
        """End the first worker and its executor at once, without a word to anyone."""
        worker = self.workers.pop(0)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster that is ready; all of it is ended afterwards."""
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    started = [_process(folder / "master", "master.Master", "--port", str(port))]
    made = Cluster(master, [])
    try:
        _wait_for(port)
        for number in range(workers):
            place = folder / f"worker-{number}"
            limits = ("--cores", "1", "--memory", "1g", "--work-dir", str(place / "work"))
            made.workers.append(_process(place, "worker.Worker", *limits, master))
        yield made
    finally:
        for process in (*made.workers, *started):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _process(folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A Java process of Spark's, in a process group of its own."""
    folder.mkdir(parents=True)
    environment = os.environ | {
        "JAVA_HOME": str(find_java()),
        "SPARK_HOME": str(_SPARK),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    # Executors are to be told where our modules are, not to inherit it.
    environment.pop("PYTHONPATH", None)
    kind = f"org.apache.spark.deploy.{name}"
    command = [
        str(_SPARK / "bin" / "spark-class"),
        kind,
        "--host",
        "127.0.0.1",
        "--webui-port",
        "0",
    ]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [*command, *arguments],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, "the master did not start"
            time.sleep(0.1)
        else:
            return
