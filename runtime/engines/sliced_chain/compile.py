"""Plans of unshared, shared or sliced joins as a program of chains, an era for each plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.families.sliced_chain.layout import SlicedJoin
from planner.families.sliced_chain.plans import BuiltChain, Checking, Feeding, ResultMerge, build
from planner.families.stages import PlannedStage
from planner.joins.shared.query_groups import BOTH, Group, Member, groups_of
from planner.plan.plan import Operator
from runtime.engines.kernels.conditions import ALWAYS
from runtime.engines.pair_columns import PairColumns
from runtime.engines.pair_engine import eras_of
from runtime.engines.protocol import PlanInput
from runtime.engines.sliced_chain.chain_program import Chain, ChainEra, QueryTap
from runtime.engines.sliced_chain.entries import Entries, Meters, Used
from runtime.engines.sliced_chain.kernel.types import LOOKS
from runtime.engines.sliced_chain.program import SliceProgram


def compile_slices(given: PlanInput) -> SliceProgram:
    """Read joins, gates and taps off the plans; count for each of their operators."""
    columns = PairColumns.of(given.workload, given.schema)
    used, meters = Used(), Meters()
    eras: list[ChainEra] = []
    for stage, at, entered in eras_of(given):
        eras.append(_ChainEraBuilder(columns, stage, entered, used, meters).made(len(eras), at))
    return SliceProgram(
        streams=columns.streams,
        queries=columns.queries,
        eras=eras,
        meters=meters.by_operator,
        unions=sorted(meters.unions),
        span=given.span,
        partitions=given.split.partitions,
    )


class _ChainEraBuilder:
    """The chains and gates of one plan as they are made."""

    def __init__(
        self,
        columns: PairColumns,
        stage: PlannedStage,
        entered: Mapping[str, int],
        used: Used,
        meters: Meters,
    ) -> None:
        self._columns, self._workload, self._entered = columns, stage.workload, entered
        self._used, self._meters = used, meters
        names = [query.name for query in stage.workload.queries]
        self._built: BuiltChain = build(groups_of(stage.workload), names, stage.plan.label)
        self._entries = Entries(self._built, columns, used, meters)

    def made(self, number: int, at: int) -> ChainEra:
        """What runs the plan from this time on."""
        operators = self._built.plan.operators()
        joins: dict[str, list[tuple[Operator, SlicedJoin]]] = {}
        for operator in operators:
            about = self._built.subjects[operator.id]
            if operator.kind == "arrive" and isinstance(about, Feeding):
                stream = self._columns.stream(about.group, about.side)
                self._meters.add(operator, number * len(self._columns.streams) + stream)
            elif operator.kind == "slice" and isinstance(about, SlicedJoin):
                # A later slice of a chain is fed by the one before it.
                feeding = operator.inputs[0]
                chain = joins.pop(feeding.id, []) if feeding.kind == "slice" else []
                joins[operator.id] = [*chain, (operator, about)]
        chains = [self._chain(slices) for slices in joins.values()]
        self._count(number, operators, chains)
        return ChainEra(at, number, self._entries.conjunctions(), self._entries.gates, chains)

    # --- chains ----------------------------------------------------------------------------------

    def _chain(self, slices: list[tuple[Operator, SlicedJoin]]) -> Chain:
        (first, whole), joins = slices[0], [join for _, join in slices]
        group = whole.group
        looked = [self._looked(join) for join in joins]
        pairs = [[pair for pair, _ in of_slice] for of_slice in looked]
        taken = [
            {query: n for n, (_, queries) in enumerate(of_slice) for query in queries}
            for of_slice in looked
        ]
        key, others = self._columns.equalities(group)
        counts = [len(of_slice) for of_slice in pairs]
        chain = Chain(
            join=_name(group),
            sides=[self._columns.stream(group, side) for side in BOTH],
            rows=group.unit == "rows",
            ends=[join.end for join in joins],
            key=key,
            others=others,
            theta=self._columns.theta(group),
            buckets=self._columns.buckets(group, key),
            gates=[self._entries.of(first, whole, side) for side in BOTH],
            # Every query of a chain takes from its first slice.
            taps=[self._tap(group, member, taken) for member in whole.members],
            pairs=pairs,
            number=self._used.chains,
            row=self._used.slices,
            select_rows=[self._used.selects + sum(counts[:n]) for n in range(len(counts))],
        )
        for place, (operator, _) in enumerate(slices):
            self._meters.add(operator, chain.row + place)
        self._used.chains += 1
        self._used.slices += len(joins)
        self._used.selects += sum(counts)
        return chain

    def _looked(self, join: SlicedJoin) -> list[tuple[list[int], list[str]]]:
        """What is looked at: pairs of conditions and since when, each with its queries."""
        found: dict[tuple[int, ...], list[str]] = {}
        for selection in join.selections:
            conditions = self._entries.numbers(join.group, selection.conditions)
            for member in selection.members:
                pair = (*conditions, self._since(member))
                found.setdefault(pair, []).append(member.query)
        return [(list(pair), queries) for pair, queries in found.items()]

    def _since(self, member: Member) -> int:
        return self._entered.get(member.query, ALWAYS)

    def _tap(self, group: Group, member: Member, taken: list[dict[str, int]]) -> QueryTap:
        return QueryTap(
            self._columns.queries.index(member.query),
            list(member.windows),
            self._entries.numbers(group, member.conditions),
            [pairs_of.get(member.query, -1) for pairs_of in taken],
            self._workload.query(member.query).sources[0].name != group.streams[0],
            self._since(member),
        )

    # --- counters --------------------------------------------------------------------------------

    def _count(self, number: int, operators: Sequence[Operator], chains: list[Chain]) -> None:
        """Where the operators behind the slices are counted."""
        by_row = {
            chain.row + place: (chain, place)
            for chain in chains
            for place in range(len(chain.ends))
        }
        of_group: dict[int, Chain] = {}
        for operator in operators:
            about = self._built.subjects[operator.id]
            if operator.kind in ("probe", "route") and isinstance(about, SlicedJoin):
                row = self._meters.last(operator.inputs[0])
                self._meters.add(operator, row)
                chain, place = by_row[row]
                of_group[about.group.number] = chain
                if operator.kind == "probe":
                    self._count_entering(operator, chain, place)
            elif isinstance(about, Checking):
                chain, place = by_row[self._meters.last(operator.inputs[0])]
                wanted = self._entries.numbers(about.join.group, about.selection.conditions)
                for nth, pair in enumerate(chain.pairs[place]):
                    if pair[:2] == wanted:
                        self._meters.add(operator, chain.select_rows[place] + nth)
            elif isinstance(about, ResultMerge):
                query = self._columns.queries.index(about.member.query)
                row = number * len(self._columns.queries) + query
                if operator.kind == "union":
                    self._meters.unions.add(query)
                if operator.kind == "union" and about.sliced:
                    self._meters.add(operator, row, of_group[about.group.number].number)
                else:
                    self._meters.add(operator, row)

    def _count_entering(self, probe: Operator, chain: Chain, place: int) -> None:
        """Who arrived too early for a query that entered is seen by no select: by the probe."""
        for nth, (first, second, since) in enumerate(chain.pairs[place]):
            if first == second == -1 and since != ALWAYS:
                self._meters.add(probe, chain.select_rows[place] + nth, LOOKS)


def _name(group: Group) -> str:
    """What tells its join from others, whichever of its queries is the first."""
    return repr((sorted(group.streams), sorted(map(str, group.predicates)), group.unit))
