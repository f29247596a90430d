"""A made-up family on all floors: of one stream every n-th tuple is kept; more is better.

It takes this file and a line in each of three registries. `ALL` is listed, and never the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from planner.errors import PlanError
from planner.families.base import ListedSpace
from planner.families.protocol import Explanation, Ranking
from planner.files.tuple_table import Table
from planner.plan.cost import Cost, Estimate, Quality, UnitCosts
from planner.plan.objective import Objective, PlanOutcome
from planner.plan.plan import Operator, Plan
from planner.seconds.kernel_work import KernelWork, Work
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Feed, Merge, Split
from runtime.engines import protocol
from runtime.engines.kernel_state import Done, stepped, summed
from runtime.engines.kernels.windows import Tuples
from runtime.engines.protocol import BatchStep, Engine, PlanInput, Tally
from runtime.runs.result_files import merge_results

EVERY = {"ALL": 1, "HALF": 2, "FIFTH": 5}


def _costs(plan: Plan, seen: float, kept: float) -> dict[str, Cost]:
    costs = (Cost(rows_out=seen), Cost(seen, rows_out=kept), Cost(rows_out=kept))
    return {op.id: cost for op, cost in zip(plan.operators(), costs, strict=True)}


def _recall(_plan: Plan, outcome: PlanOutcome) -> float | None:
    return next((quality.recall for quality in outcome.qualities.values()), None)


class Thinning:
    name, symbols, cites = "thinning", "λ: rate of the stream.", ()
    objective = Objective("recall", "Share kept", "of all tuples", "recall", _recall, "highest",
                          eligible=lambda label: label != "ALL")  # fmt: skip

    def refuses(self, workload: Workload) -> str | None:
        return None if len(workload.streams) == 1 else "it thins out one stream"

    def space(self, workload: Workload, units: UnitCosts | None = None) -> Thinned:
        if reason := self.refuses(workload):
            raise PlanError(reason, self.name)
        return Thinned(workload, units, self.objective)


class Thinned(ListedSpace):
    baseline, labels = "ALL", tuple(EVERY)

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        source = self.workload.queries[0].sources[0]
        about = ("source", source.alias)
        for label in labels:
            if label not in EVERY:
                raise PlanError(f"no plan {label!r}; there are {', '.join(EVERY)}", "--plan")
            arrive = Operator("arrive", (about, ("stream", source.name)))
            thin = Operator("thin", (about, ("every", EVERY[label])), (arrive,))
            yield Plan("thinning", label, (Operator("output", (about,), (thin,)),))

    def cost(self, label: str) -> Cost:
        return Cost(rate := self.workload.streams[0].rate, rows_out=rate / EVERY[label])

    def score(self, label: str) -> float:
        return 1 / EVERY[label]

    def estimate(self, plan: Plan) -> Estimate:
        cost, query = self.cost(plan.label), self.workload.queries[0].name
        quality = Quality(recall=self.score(plan.label))
        return Estimate(_costs(plan, cost.comparisons, cost.rows_out), {query: quality})

    def kernel_work(self, plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
        done = tuple(Work(f"thinning {op.kind}", costs[op.id]) for op in plan.operators())
        return KernelWork("thinning", done, Work("thinning batch", Cost()))

    def explanation(self, ranking: Ranking) -> Explanation:
        return Explanation(f"{ranking.best} wins: it keeps the most.", (), lambda: ("All tried.",))


Counters = NamedTuple("Counters", [(c, Any) for c in ("comparisons", "kept", "replicas", "held")])


@dataclass(frozen=True)
class Program(protocol.Program):
    every: int
    query: str

    load = staticmethod(lambda: None)

    def step(self, state: Any, batch: bytes, _partition: int, most_rows: int) -> BatchStep:
        given = Batch.unpack(batch, Tuples).tuples
        chosen = given.take(given.seq % self.every == 0)

        def work(counters: Counters, kept: list[np.ndarray]) -> Done:
            span = self.span
            for counter, found in ((counters.comparisons, given), (counters.kept, chosen)):
                counter[0] += np.count_nonzero((found.ts >= span.warmup) & (found.ts < span.end))
            rows = np.stack([chosen.seq, chosen.ts], axis=1)[: len(chosen.ts) if most_rows else 0]
            return Done(len(chosen.ts), int(chosen.seq.sum()), rows, 0, kept)

        return stepped(state, Counters(*np.zeros((4, 1), np.int64)), list, work)

    def tally(self, totals: Sequence[bytes], plan: Plan, reached: int | None = None) -> Tally:
        sums = summed(totals, Counters)
        seconds = self.span.until(reached).seconds
        seen, kept = int(sums.counters.comparisons[0]), int(sums.counters.kept[0])
        tally = sums.tally(seen, _costs(plan, seen, kept), seconds)
        return replace(tally, qualities={self.query: Quality(recall=kept / seen)})


class ThinningEngine(Engine):
    # Its tuples need no explanation: the engine is their schema.
    write = schema = lambda *_: None
    split = staticmethod(lambda *_: Split(1, None, "every n-th tuple of all"))

    def feed(self, *_given: object) -> Merge:
        def merge(_workload: Workload, tables: Mapping[str, Table]) -> Feed:
            ((name, table),) = tables.items()
            nothing = np.zeros(len(table), np.int16)
            tuples = Tuples(nothing, table.ts, table.seq, nothing.astype(np.int32))
            return Feed(tuples, {name: len(table)}, self)

        return merge

    def compile(self, given: PlanInput) -> Program:
        every, query = EVERY[given.plan.label], given.workload.queries[0].name
        return Program(every, query, span=given.span, partitions=1)

    def write_results(self, workload: Workload, _schema: Any, _tally: Tally, *folders: Any) -> None:
        merge_results(workload, *folders)


ENGINE = ThinningEngine()
