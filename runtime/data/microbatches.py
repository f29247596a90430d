"""Micro-batches on disk: one Parquet file each, cached by the digest of what is in them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from planner.errors import RunError
from runtime.data.batch import Batch
from runtime.data.feed import Feed, Split
from runtime.data.folders import work_home, writable_home

# Old micro-batches are dropped beyond this, but none that a run may still be reading.
MOST_CACHED_BYTES = 8 * 2**30
_IN_USE_SECONDS = 7200.0
BYTES_PER_TUPLE = 22
LEAST_BATCH_ROWS = 20_000
MOST_BATCH_ROWS = 1_000_000
USUAL_BATCHES = 10
MOST_BATCHES = 10_000
# Part of every key: micro-batches that another version of Sluice wrote otherwise are not used.
FORMAT = 9

_SCHEMA = pa.schema(
    [
        ("batch", pa.int32()),
        ("partitions", pa.list_(pa.int32())),
        ("tuples", pa.binary()),
    ]
)
# Spark passes over files whose name begins with an underscore.
NOTE = "_micro-batches.json"
# Spark reads files by modification time; this is when the first one is said to be written.
_FIRST_WRITTEN = 1_000_000_000


@dataclass(frozen=True, slots=True)
class MicroBatches:
    """A folder of micro-batches, and what a run must know of the tuples in them.

    `first_ts`, `last_ts` and `froms` and `untils`, the first and last of each batch, are in
    microseconds. What the numbers in the tuples stand for is in the folder too.
    """

    folder: str
    batches: int
    rows: Mapping[str, int]
    arrivals: int
    first_ts: int
    last_ts: int
    untils: list[int]
    froms: list[int]


def usual_batch_rows(arrivals: int) -> int:
    """Few large micro-batches: each costs a fixed time, whatever it holds."""
    return max(LEAST_BATCH_ROWS, min(MOST_BATCH_ROWS, -(-arrivals // USUAL_BATCHES)))


def cached(key: str, shared: Path | None = None) -> MicroBatches | None:
    """The micro-batches with this digest, if they are on disk."""
    note = _folder(key, shared) / NOTE
    if not note.is_file():
        return None
    try:
        found = MicroBatches(**{**json.loads(note.read_text()), "folder": str(note.parent)})
    except (TypeError, ValueError, KeyError):
        found = None
    if found is None or len(list(note.parent.glob("*.parquet"))) != found.batches:
        # Damaged: it is made again.
        shutil.rmtree(note.parent)
        return None
    os.utime(note)
    return found


def write(
    key: str,
    feed: Feed,
    split: Split,
    batch_rows: int,
    cuts: Sequence[int] = (),
    shared: Path | None = None,
) -> MicroBatches:
    """Cut the feed into micro-batches of so many arrivals, shared out to the partitions.

    No batch goes over one of the times `cuts`. A feed of whole instants has the tuples of one time
    in one batch. A cluster reads them from the folder it shares.
    """
    ts = feed.tuples.ts
    arrivals = len(ts)
    first_ts, last_ts = (int(ts[0]), int(ts[-1])) if arrivals else (0, 0)
    # A feed without a tuple still makes one batch, so that every run has an end.
    starts = _starts(ts, batch_rows, cuts)
    if feed.whole_instants and arrivals:
        starts = sorted({int(np.searchsorted(ts, ts[start])) for start in starts})
    check_count(len(starts))
    folder = _folder(key, shared)
    (writable_home(shared) / folder.parent.name).mkdir(exist_ok=True)
    _drop_oldest(folder.parent)
    check_room(arrivals * BYTES_PER_TUPLE, "micro-batches", folder.parent)
    # Written beside and moved at once: a folder is either whole or not there.
    beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix="unfinished-"))
    froms, untils = [], []
    try:
        for number, (start, end) in enumerate(pairwise([*starts, arrivals])):
            tuples = feed.tuples.take(slice(start, end))
            until = int(tuples.ts[-1]) if arrivals else 0
            untils.append(until)
            froms.append(int(tuples.ts[0]) if arrivals else 0)
            last = end == arrivals
            file = beside / f"batch-{number:06}.parquet"
            pq.write_table(
                _table(number, Batch(tuples, until, last), split),
                file,
                compression="none",
                use_dictionary=False,
                write_statistics=False,
            )
            os.utime(file, (_FIRST_WRITTEN + number, _FIRST_WRITTEN + number))
        made = MicroBatches(
            str(folder),
            len(starts),
            dict(feed.rows),
            arrivals,
            first_ts,
            last_ts,
            untils,
            froms,
        )
        feed.schema.write(beside)
        (beside / NOTE).write_text(json.dumps(asdict(made)))
        if not folder.exists():
            beside.rename(folder)
    except OSError as error:
        raise RunError(f"cannot write micro-batches: {error.strerror}", str(folder)) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return made


def check_count(batches: int) -> None:
    """Refuse to make too many micro-batches."""
    if batches > MOST_BATCHES:
        raise RunError(
            f"would make {batches:,} micro-batches; at most {MOST_BATCHES:,}. Raise it",
            "--batch-rows",
        )


def check_room(needed: int, what: str, folder: Path) -> None:
    """Refuse what needs more bytes than are free in a folder."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise RunError(
            f"needs about {needed / 2**20:,.0f} MB for {what} and {free / 2**20:,.0f} MB "
            "are free; make room or shorten run.duration",
            str(folder),
        )


def _starts(ts: np.ndarray, batch_rows: int, cuts: Sequence[int]) -> list[int]:
    """Where batches begin: where a time is reached, and after so many arrivals from there on."""
    reached = {int(place) for place in np.searchsorted(ts, cuts)} if cuts else set()
    ends = sorted({0, len(ts)} | reached)
    starts = [start for begin, end in pairwise(ends) for start in range(begin, end, batch_rows)]
    return starts or [0]


def _table(number: int, batch: Batch, split: Split) -> pa.Table:
    shares = split.share(batch.tuples)
    if shares is None:
        rows = [(list(range(split.partitions)), batch)]
    else:
        rows = [
            ([partition], Batch(tuples, batch.until, batch.last))
            for partition, tuples in enumerate(shares)
        ]
    return pa.table(
        {
            "batch": [number] * len(rows),
            "partitions": [partitions for partitions, _ in rows],
            "tuples": [part.pack() for _, part in rows],
        },
        schema=_SCHEMA,
    )


def _folder(key: str, shared: Path | None) -> Path:
    return work_home(shared) / "micro-batches" / key


def _drop_oldest(parent: Path) -> None:
    """Make room: drop the folders that were used longest ago beyond the limit."""
    last_used = sorted((-note.stat().st_mtime, note.parent) for note in parent.glob(f"*/{NOTE}"))
    held = 0
    for when, folder in last_used:
        held += sum(file.stat().st_size for file in folder.iterdir())
        if held > MOST_CACHED_BYTES and time.time() + when > _IN_USE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
