"""Groups and amounts of an aggregation: what its numbers stand for, kept beside its tuples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
from numpy.typing import NDArray

from runtime.engines.aggregation.amounts import Kept
from runtime.engines.joins.feeds import JoinSchema

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
    kept: list[Kept]
    changing: bool
    seed: int

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Grouping:
        """The grouping that `asdict` wrote."""
        return cls(**{**content, "kept": [Kept(**kept) for kept in content["kept"]]})


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
        (folder / _NOTE).write_text(json.dumps(asdict(self.grouping)))
        self.meanings.write(folder)

    @classmethod
    def read(cls, folder: Path) -> AggregationSchema:
        """What `write` kept."""
        grouping = Grouping.from_json(json.loads((folder / _NOTE).read_text()))
        return cls(JoinSchema.read(folder), grouping, Meanings.read(folder))
