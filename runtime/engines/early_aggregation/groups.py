"""Groups and amounts of an aggregation: what their numbers stand for, and parts put together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
from numpy.typing import NDArray

from planner.errors import RunError
from runtime.data.json_records import read_record, write_record
from runtime.engines.early_aggregation.amounts import KeptColumn
from runtime.engines.early_aggregation.kernel.types import (
    DISTINCT,
    GREATEST,
    LEAST,
    NOTHING,
    PRESENT,
    ROWS,
    SUM,
)
from runtime.engines.join_feeds import JoinSchema
from runtime.engines.kernels.digest import digest_of_rows

# Spark passes over files whose name begins with an underscore.
_FILE, _NOTE = "_groups.arrow", "_grouping.json"


@dataclass(frozen=True, slots=True)
class Grouping:
    """What a program must know: per source how many groups and cells its tuples fall into, and the
    columns that are kept for aggregates.

    `changing` says that some relation gains or loses rows. `seed` is of what the numbers of groups
    and texts stand for, so that answers over other data differ.
    """

    groups: list[int]
    cells: list[int]
    kept: list[KeptColumn]
    changing: bool
    seed: int


@dataclass(frozen=True, slots=True)
class Meanings:
    """What the numbers of groups and texts stand for.

    `columns` are the values of each GROUP BY attribute by rank; `ranks` has per source the ranks of
    its own ones for each of its groups; `texts` are those of aggregated columns, by their place.
    """

    columns: list[pa.Array]
    ranks: list[NDArray[np.int64]]
    texts: dict[int, pa.Array]

    def seed(self) -> int:
        """A digest of all of it."""
        parts = hashlib.blake2b(digest_size=8)
        for values in [*self.columns, *self.texts.values()]:
            parts.update(repr((str(values.type), len(values))).encode())
            for buffer in values.buffers():
                parts.update(b"" if buffer is None else buffer)
        for ranks in self.ranks:
            parts.update(ranks.tobytes())
        # One bit less, so that it is a number of 64 bits with a sign too.
        return int.from_bytes(parts.digest()) >> 1

    def write(self, folder: Path) -> None:
        """Keep it in a folder of micro-batches."""
        lists = {f"column {place}": values for place, values in enumerate(self.columns)}
        for source, ranks in enumerate(self.ranks):
            lists[f"ranks {source}"] = pa.array(ranks.ravel())
            lists[f"width {source}"] = pa.array([ranks.shape[1]])
        lists |= {f"text {place}": values for place, values in self.texts.items()}
        one = {
            name: pa.LargeListArray.from_arrays(pa.array([0, len(v)], pa.int64()), v)
            for name, v in lists.items()
        }
        feather.write_feather(pa.table(one), folder / _FILE, compression="uncompressed")

    @classmethod
    def read(cls, folder: Path) -> Meanings:
        """What `write` kept."""
        table = feather.read_table(folder / _FILE)
        lists = {name: table.column(name).chunk(0).flatten() for name in table.column_names}

        def named(kind: str) -> Sequence[tuple[int, pa.Array]]:
            found = [(n.split(), values) for n, values in lists.items() if n.startswith(kind)]
            return [(int(words[1]), values) for words, values in found]

        widths = dict(named("width"))
        return cls(
            [values for _, values in named("column")],
            [
                ranks.to_numpy().reshape(-1, widths[source][0].as_py())
                if widths[source][0].as_py()
                else np.zeros((1, 0), np.int64)
                for source, ranks in named("ranks")
            ],
            dict(named("text")),
        )


@dataclass(frozen=True, slots=True)
class AggregationSchema:
    """What the numbers in an aggregation's tuples stand for: those of its join, and of groups."""

    join: JoinSchema
    grouping: Grouping
    meanings: Meanings

    def write(self, folder: Path) -> None:
        """Keep it in a folder of micro-batches."""
        self.join.write(folder)
        write_record(self.grouping, folder / _NOTE)
        self.meanings.write(folder)

    @classmethod
    def read(cls, folder: Path) -> AggregationSchema:
        """What `write` kept."""
        grouping = read_record(Grouping, folder / _NOTE)
        return cls(JoinSchema.read(folder), grouping, Meanings.read(folder))


# Where the kept columns begin in a row: behind the group and its rows. Each has three of them.
FIRST_KEPT = 2
SUMS, PRESENTS, BESTS = range(3)
_MOST_SUM = float(np.iinfo(np.int64).max)


def put_together(parts: Sequence[np.ndarray], functions: Sequence[int]) -> np.ndarray:
    """The groups that are there, each once: parts of one group are added up."""
    rows = np.concatenate(list(parts))
    order = np.argsort(rows[:, 0], kind="stable")
    rows = rows[order]
    keys, starts = np.unique(rows[:, 0], return_index=True)
    if len(keys) < len(rows):
        whole = np.add.reduceat(rows, starts, axis=0)
        whole[:, 0] = keys
        for place, function in enumerate(functions):
            if function in (LEAST, GREATEST):
                best = FIRST_KEPT + 3 * place + BESTS
                whole[:, best] = _extreme(rows[:, best], starts, function)
        rows = whole
    return rows[rows[:, 1] > 0]


def _extreme(values: NDArray[np.int64], starts: NDArray[np.int64], function: int) -> np.ndarray:
    if function == GREATEST:
        # What is missing is below all there is.
        return np.maximum.reduceat(values, starts)
    far = np.iinfo(np.int64).max
    least = np.minimum.reduceat(np.where(values == NOTHING, far, values), starts)
    return np.where(least == far, NOTHING, least)


def kept(rows: np.ndarray, place: int, field: int) -> NDArray[np.int64]:
    """One of the three numbers that are kept for an aggregate, of every group."""
    return rows[:, FIRST_KEPT + 3 * place + field]


def check_sums(rows: np.ndarray, functions: Sequence[int], most: Sequence[int]) -> None:
    """A RunError where a sum may have gone beyond 64 bits."""
    for place, function in enumerate(functions):
        if function == SUM:
            values = kept(rows, place, PRESENTS).astype(np.float64)
            if (values * float(most[place]) >= _MOST_SUM).any():
                raise RunError(
                    f"a sum over {values.max():,.0f} values, of up to {most[place]:,}, may be "
                    "beyond 64 bits; shorten the windows, or use smaller units",
                    "SUM",
                )


def digest_of_groups(
    rows: np.ndarray, block: np.ndarray, answer: Sequence[Sequence[int]], seed: int
) -> int:
    """The digest of groups as the answer shows them; `block` is when their block began."""
    columns = [block, rows[:, 0]]
    for function, place in answer:
        if function == ROWS:
            columns.append(rows[:, 1])
            continue
        present = kept(rows, place, PRESENTS)
        columns.append(np.minimum(present, 1) if function != PRESENT else present)
        if function in (SUM, DISTINCT):
            columns.append(np.where(present > 0, kept(rows, place, SUMS), 0))
        elif function in (LEAST, GREATEST):
            columns.append(np.where(present > 0, kept(rows, place, BESTS), 0))
    return int(digest_of_rows(np.ascontiguousarray(np.stack(columns, axis=1)), np.uint64(seed)))
