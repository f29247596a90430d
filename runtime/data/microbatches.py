"""Micro-batches on disk: one Parquet file each, cached by the digest of what is in them."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.files.whole_files import digest_of_bytes, read_sealed_json, write_sealed_json
from runtime.data.batch import Batch
from runtime.data.batch_seal import EVERY_PARTITION, opened, sealed
from runtime.data.feed import Feed, Split
from runtime.data.folders import drop_abandoned, held_folder, work_home, writable_home

_UNFINISHED = "unfinished-"
# Old micro-batches are dropped beyond this, but none that a run may still be reading.
MOST_CACHED_BYTES = 8 * 2**30
_IN_USE_SECONDS = 7200.0
BYTES_PER_TUPLE = 22
LEAST_BATCH_ROWS = 20_000
MOST_BATCH_ROWS = 1_000_000
USUAL_BATCHES = 10
MOST_BATCHES = 10_000
# Part of every key: micro-batches that another version of Sluice wrote otherwise are not used.
FORMAT = 11

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
    microseconds. What the numbers in the tuples stand for is in the folder too: `schema` has the
    digests of those files, `sizes` the bytes of each batch, whose digest is in the batch itself.
    """

    folder: str
    batches: int
    rows: Mapping[str, int]
    arrivals: int
    first_ts: int
    last_ts: int
    untils: list[int]
    froms: list[int]
    sizes: Mapping[str, int]
    schema: Mapping[str, str]

    def file(self, number: int) -> Path:
        """The file of a batch; a RunError where it is not as long as it was written."""
        file = Path(self.folder) / _name(number)
        if not file.is_file() or file.stat().st_size != self.sizes[file.name]:
            raise RunError("is damaged or gone; run the plan again", str(file))
        return file


def usual_batch_rows(arrivals: int) -> int:
    """Few large micro-batches: each costs a fixed time, whatever it holds."""
    return max(LEAST_BATCH_ROWS, min(MOST_BATCH_ROWS, -(-arrivals // USUAL_BATCHES)))


def cached(key: str, shared: Path | None = None) -> MicroBatches | None:
    """The micro-batches with this digest, if they are on disk. Damaged ones are dropped."""
    folder = _folder(key, shared)
    if not folder.is_dir():
        return None
    found = _noted(folder)
    if found is None or not _is_complete(found):
        shutil.rmtree(folder)
        return None
    os.utime(folder / NOTE)
    return found


def _noted(folder: Path) -> MicroBatches | None:
    content = read_sealed_json(folder / NOTE)
    try:
        return MicroBatches(**{**content, "folder": str(folder)})
    except TypeError:
        # Unreadable, or of another version.
        return None


def _is_complete(made: MicroBatches) -> bool:
    """Whether every file is there with its length; files of the schema are read, too."""
    folder = Path(made.folder)
    sizes = {file.name: file.stat().st_size for file in folder.glob("*.parquet")}
    return sizes == made.sizes and _schema_digests(folder) == made.schema


def _schema_digests(folder: Path) -> dict[str, str]:
    files = (file for file in sorted(folder.glob("_*")) if file.name != NOTE)
    return {file.name: digest_of_bytes(file.read_bytes()).hex() for file in files}


def are_damaged(made: MicroBatches) -> bool:
    """Whether anything in the folder is not as it was written. All of it is read."""
    if not Path(made.folder).is_dir() or not _is_complete(made):
        return True
    try:
        given = {tuple(_partitions_given(made, number)) for number in range(made.batches)}
    except (RunError, OSError, pa.ArrowException, TypeError, KeyError):
        return True
    # Every partition is given every batch.
    return len(given) != 1 or any(list(found) != list(range(len(found))) for found in given)


def _partitions_given(made: MicroBatches, number: int) -> list[int]:
    """The partitions that a sound batch is given to, in their order."""
    given = []
    for row in pq.read_table(made.file(number)).to_pylist():
        for partition in row["partitions"]:
            opened(row["tuples"], row["batch"], partition)
            given.append(partition)
        if row["batch"] != number:
            raise RunError("is another batch than its name says", str(made.file(number)))
    return sorted(given)


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
    froms, untils = [], []
    # Written beside and moved at once: a folder is either whole or not there.
    with _writing(folder), held_folder(folder.parent, _UNFINISHED) as beside:
        for number, (start, end) in enumerate(pairwise([*starts, arrivals])):
            tuples = feed.tuples.take(slice(start, end))
            until = int(tuples.ts[-1]) if arrivals else 0
            untils.append(until)
            froms.append(int(tuples.ts[0]) if arrivals else 0)
            last = end == arrivals
            file = beside / _name(number)
            pq.write_table(
                _table(number, Batch(tuples, until, last), split),
                file,
                compression="none",
                use_dictionary=False,
                write_statistics=False,
                # A partition reads its own share and no other.
                row_group_size=1,
            )
            os.utime(file, (_FIRST_WRITTEN + number, _FIRST_WRITTEN + number))
        feed.schema.write(beside)
        made = MicroBatches(
            str(folder),
            len(starts),
            dict(feed.rows),
            arrivals,
            first_ts,
            last_ts,
            untils,
            froms,
            {file.name: file.stat().st_size for file in sorted(beside.glob("*.parquet"))},
            _schema_digests(beside),
        )
        write_sealed_json(beside / NOTE, made)
        if not folder.exists():
            beside.rename(folder)
    return made


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(f"cannot write micro-batches: {error.strerror}", str(folder)) from error


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
        everywhere = sealed(batch.pack(), number, EVERY_PARTITION)
        rows = [(list(range(split.partitions)), everywhere)]
    else:
        rows = [
            ([partition], sealed(Batch(own, batch.until, batch.last).pack(), number, partition))
            for partition, own in enumerate(shares)
        ]
    return pa.table(
        {
            "batch": [number] * len(rows),
            "partitions": [partitions for partitions, _ in rows],
            "tuples": [tuples for _, tuples in rows],
        },
        schema=_SCHEMA,
    )


def read_share(folder: Path, number: int, partition: int) -> bytes:
    """The sealed tuples of a batch that a partition is given, from the folder that has its file."""
    file = pq.ParquetFile(folder / _name(number))
    # One row for each partition, or one for all of them.
    (row,) = file.read_row_group(min(partition, file.num_row_groups - 1)).to_batches()
    if row["batch"][0].as_py() != number or partition not in row["partitions"][0].as_py():
        raise RunError("is another batch than its name says", f"batch {number}")
    tuples: bytes = row["tuples"][0].as_py()
    return tuples


def _name(number: int) -> str:
    return f"batch-{number:06}.parquet"


def _folder(key: str, shared: Path | None) -> Path:
    return work_home(shared) / "micro-batches" / key


def _drop_oldest(parent: Path) -> None:
    """Make room: drop what was never finished, and beyond the limit what was used longest ago."""
    drop_abandoned(parent, _UNFINISHED)
    last_used = sorted((-note.stat().st_mtime, note.parent) for note in parent.glob(f"*/{NOTE}"))
    held = 0
    for when, folder in last_used:
        held += sum(file.stat().st_size for file in folder.iterdir())
        if held > MOST_CACHED_BYTES and time.time() + when > _IN_USE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
