"""The groups of an aggregation on Spark's own operators: coded before, and read back after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from planner.errors import RunError
from planner.files.data_columns import LAST
from planner.files.tuple_table import Table
from planner.workload.query import Query
from runtime.backends.native.describe_aggregation import GROUP, NativeAggregation
from runtime.engines.aggregation.answer_files import AnswerReader
from runtime.engines.aggregation.compile import answer_columns
from runtime.engines.aggregation.feed import Coding, coded
from runtime.engines.aggregation.groups import check_sums, digest_of_groups
from runtime.engines.aggregation.kernel.types import NOTHING
from runtime.runs.result_files import safe_file_name

# Of the columns that are kept for aggregates, by their place.
KEPT = "k"


@dataclass(frozen=True, slots=True)
class NativeGroups:
    """What Spark adds up, and what its numbers mean: those of the kernels, to the last bit."""

    query: Query
    coding: Coding

    @classmethod
    def of(
        cls, described: NativeAggregation, query: Query, tables: Mapping[str, Table]
    ) -> NativeGroups:
        """Code the tables; a RunError where early sets would meet rows that come and go."""
        first = min((int(t.ts[0]) for t in tables.values() if len(t.ts)), default=0)
        for table in tables.values():
            begun = table.begin is not None and bool((table.begin > first).any())
            ended = table.end is not None and bool((table.end != LAST).any())
            if described.early and (begun or ended):
                raise RunError(
                    "a relation's rows begin or end meanwhile, and what is aggregated before the "
                    "join does not know who was there; run LAP",
                    "--backend native",
                )
        return cls(query, coded(query, tables))

    def columns(self) -> dict[str, dict[str, pa.Array]]:
        """The columns of every table: the group of its rows under each alias, and amounts."""
        found: dict[str, dict[str, pa.Array]] = {}
        amounts = self.coding.amounts
        for place, source in enumerate(self.query.sources):
            own = found.setdefault(source.name, {})
            own[f"{GROUP}{place}"] = pa.array(self.coding.groups[place].codes.astype(np.int64))
        for place, (kept, codes) in enumerate(zip(amounts.kept, amounts.codes, strict=True)):
            own = found[self.query.sources[kept.source].name]
            own[f"{KEPT}{place}"] = pa.array(codes, mask=codes == NOTHING)
        return found

    @property
    def functions(self) -> list[tuple[int, int]]:
        """Of each kept column its function and its source."""
        return [(kept.function, kept.source) for kept in self.coding.amounts.kept]

    @property
    def multipliers(self) -> Sequence[int]:
        """What the group of each source is multiplied with, to make one number of all."""
        return [1, *np.cumprod(self.coding.grouping.groups)[:-1].tolist()]

    def digest(self, rows: np.ndarray) -> int:
        """The answer digest of rows [block, group, rows, three numbers for each kept column]."""
        kept = self.coding.amounts.kept
        check_sums(rows[:, 1:], [k.function for k in kept], [k.most for k in kept])
        answer = answer_columns(self.query)
        return digest_of_groups(rows[:, 1:], rows[:, 0], answer, self.coding.grouping.seed)

    def write(self, rows: np.ndarray, folder: Path) -> None:
        """Write `QUERY.parquet`; Spark's own operators tell no changes of groups."""
        reader = AnswerReader(self.query, self.coding.grouping, self.coding.meanings)
        file = folder / f"{safe_file_name(self.query.name)}.parquet"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(reader.answer(rows), file)
        except OSError as error:
            told = f"cannot write results: {error.strerror or error}"
            raise RunError(told, str(folder)) from error
