"""Ten million tuples streamed: does memory grow with the number of micro-batches?

The memory of a process is what it has to itself and its share of the rest (PSS); it is read after
each batch, for this process, Java and the workers.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

from bench.sessions import started_by
from bench.workloads import TABLE_5, join_of
from runtime.control.execute import run
from runtime.runs.history import History
from runtime.runs.records import Progress, RunRequest

TUPLES, BATCH_ROWS = 10_000_000, 100_000
_MB = 1024
_PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def long_stream() -> dict[str, Any]:
    """One stream on Table 5; the first quarter of its batches beside the last."""
    workload = join_of(TABLE_5, TUPLES)
    request = RunRequest(workload, "join_order", "best", batch_rows=BATCH_ROWS)
    held: dict[int, dict[str, float]] = {}

    def look(progress: Progress) -> None:
        if progress.batches_done and progress.batches_done not in held:
            held[progress.batches_done] = _megabytes()

    with tempfile.TemporaryDirectory() as folder:
        done = run(request, look, history=History(Path(folder) / "history.sqlite"))
    assert done.measurement is not None
    samples = [held[batch] for batch in sorted(held)]
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    tuples = sum(done.measurement.rows.values())
    middle = {
        name: {
            when: median(sample[name] for sample in part)
            for when, part in (("second quarter", early), ("last quarter", late))
        }
        for name in samples[-1]
    }
    return {
        "tuples": tuples,
        "micro-batches": done.batches,
        "tuples per second": tuples / done.measurement.timings.engine,
        "megabytes": middle,
        "last quarter over second": median(sum(s.values()) for s in late)
        / median(sum(s.values()) for s in early),
    }


def _megabytes() -> dict[str, float]:
    """By kind of process."""
    found = {"this process": _held(os.getpid()), "Java": 0.0, "workers": 0.0}
    for process in started_by(os.getpid()):
        with suppress(OSError):  # It has ended meanwhile.
            name = Path(f"/proc/{process}/comm").read_text()
            found["Java" if "java" in name else "workers"] += _held(process)
    return found


def _held(process: int) -> float:
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    found = _PSS.search(text)
    return int(found[1]) / _MB if found else 0.0
