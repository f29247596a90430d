"""The statistics of a run over time: what was declared beside what was seen, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from planner.numbers import figure, unique_names
from planner.statistics.observed import BatchStatistics, KeyStatistics, Likely, pair_name
from planner.statistics.selectivity import (
    by_streams,
    filter_selectivity,
    predicate_selectivity,
)
from planner.statistics.substitution import place_of
from planner.workload.changes import with_every_query
from planner.workload.query import Predicate
from planner.workload.workload import Workload

RATES, BURSTS, DISTINCT, SKEW = "Rates", "Bursts", "Distinct values", "Skew"
PAIRS, FILTERS = "Pairs that match", "Filters"
UNITS = {
    RATES: "Tuples/s",
    BURSTS: "Tuples at one time",
    DISTINCT: "Values",
    SKEW: "Exponent of Zipf's law",
    PAIRS: "Share of pairs",
    FILTERS: "Share of tuples that pass",
}
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Series:
    """One statistic of one subject: declared, and as seen in each batch (None: not seen there)."""

    name: str
    declared: float | None
    seen: tuple[Likely | None, ...]

    @property
    def last(self) -> Likely | None:
        """As it was seen last."""
        return next((one for one in reversed(self.seen) if one is not None), None)

    @property
    def differs(self) -> bool:
        """Whether it was last seen to be another than declared."""
        last = self.last
        return last is not None and self.declared is not None and not last.holds(self.declared)


def series_of(observed: Sequence[BatchStatistics], workload: Workload) -> dict[str, list[Series]]:
    """The series of each statistic that was seen."""
    found: dict[str, list[Series]] = {statistic: [] for statistic in UNITS}
    for stream in observed[0].streams if observed else ():
        known = workload.stream(stream)
        of_stream = [batch.streams[stream] for batch in observed]
        rates, bursts = (tuple(s.rate for s in of_stream), tuple(s.burst for s in of_stream))
        found[RATES].append(Series(stream, known.rate, rates))
        found[BURSTS].append(Series(stream, known.arrivals.burst, bursts))
        names = dict.fromkeys(name for batch in of_stream for name in batch.keys)
        for name in names:
            attribute, keys = known.attributes.get(name), [s.keys.get(name) for s in of_stream]
            distinct = None if attribute is None else attribute.distinct
            zipf = None if attribute is None else attribute.zipf
            subject = f"{stream}.{name}"
            found[DISTINCT].append(Series(subject, distinct, _each(keys, lambda k: k.distinct)))
            found[SKEW].append(Series(subject, zipf, _each(keys, lambda k: k.zipf)))
    pairs = _declared_pairs(workload)
    found[PAIRS] = _shares([batch.pairs for batch in observed], pairs)
    filters = {
        by_streams(query, condition): filter_selectivity(workload, query, condition)
        for query in with_every_query(workload).queries
        for condition in query.filters
    }
    found[FILTERS] = _shares([batch.filters for batch in observed], filters)
    return {statistic: series for statistic, series in found.items() if series}


def _each(
    keys: Sequence[KeyStatistics | None], part: Callable[[KeyStatistics], Likely]
) -> tuple[Likely | None, ...]:
    return tuple(None if found is None else part(found) for found in keys)


def _declared_pairs(workload: Workload) -> dict[str, float]:
    """The share of pairs that planning takes to satisfy a condition, by its streams."""
    found = {}
    for query in with_every_query(workload).queries:
        for members in query.equality_classes():
            for left, right in combinations(sorted(members), 2):
                name = pair_name(place_of(query, left), place_of(query, right))
                predicate = Predicate(left, "=", right)
                found[name] = predicate_selectivity(workload, query, predicate)
        for predicate in query.predicates:
            if not predicate.is_equality:
                share = predicate_selectivity(workload, query, predicate)
                found[by_streams(query, predicate)] = share
    return found


def _shares(batches: Sequence[Mapping[str, Likely]], declared: Mapping[str, float]) -> list[Series]:
    names = dict.fromkeys(name for batch in batches for name in batch)
    return [
        Series(name, declared.get(name), tuple(batch.get(name) for batch in batches))
        for name in names
    ]


def summary(series: Mapping[str, Sequence[Series]]) -> str:
    """What was last seen to be another than declared, in a sentence."""
    others = [
        f"{_WORDS[statistic].format(one.name)} {figure(last.value)} "
        f"({figure(one.declared)} declared)"
        for statistic, every in series.items()
        for one in every
        if one.differs and (last := one.last) is not None and one.declared is not None
    ]
    if not others:
        return "What was last seen may be as declared."
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return f"Last seen otherwise than declared: {'; '.join(others[:_MOST_NAMED])}{more}."


_WORDS = {
    RATES: "the rate of {} is",
    BURSTS: "tuples of {} that come together are",
    DISTINCT: "the distinct values of {} are",
    SKEW: "the skew of {} is",
    PAIRS: "the share of pairs with {} is",
    FILTERS: "the share of tuples with {} is",
}


def labels(series: Sequence[Series]) -> list[str]:
    """Their names, each once."""
    return unique_names([one.name for one in series])
