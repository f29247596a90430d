"""Which workloads can shed: star joins with time windows and a bound; what is not covered, said."""

from __future__ import annotations

from planner.families.load_shedding.aggregates import aggregation_refusal
from planner.families.load_shedding.star import is_loaded, link, star_of
from planner.joins.coverage import join_refusal, relation_of, several_refusal
from planner.seconds.clock import takes_no_time
from planner.workload.query import Query, TimeWindow
from planner.workload.validation import listed
from planner.workload.workload import Workload


def refusal(workload: Workload) -> str | None:
    """One sentence that names what is not covered, or None when the workload is covered."""
    if reason := several_refusal(workload) or _bound(workload):
        return reason
    (query,) = workload.queries
    return (
        _shape(workload, query)
        or _importance(workload, query)
        or join_refusal(workload, query, lambda: aggregation_refusal(workload, query))
        or _links(workload, query)
        or _access(workload)
    )


def _bound(workload: Workload) -> str | None:
    execution = workload.execution
    if execution.memory is None:
        return "nothing says how many tuples may be kept; declare execution.memory"
    if not isinstance(execution.evaluate, str) or not isinstance(execution.expire, str):
        return "tuples are joined and dropped as others arrive; evaluate and expire must be eager"
    split = execution.shedding.split
    if not isinstance(split, str) and sum(split.values()) > execution.memory:
        return (
            f"execution.shedding.split hands out {sum(split.values()):,} tuples, and only "
            f"{execution.memory:,} may be kept (execution.memory)"
        )
    return _processor(workload) if is_loaded(workload) else None


def _processor(workload: Workload) -> str | None:
    if takes_no_time(workload.execution):
        return (
            "no work takes any time, so the processor is never short; give compare or output a "
            "time in execution.unit_costs, or leave out execution.utilisation"
        )
    if workload.queries[0].aggregates:
        return (
            "aggregates are not estimated where the processor drops tuples; leave "
            "out execution.utilisation"
        )
    return None


def _shape(workload: Workload, query: Query) -> str | None:
    relations = [s for s in query.sources if relation_of(workload, s) is not None]
    streams = [s for s in query.sources if relation_of(workload, s) is None]
    if len(relations) > 1:
        return f"{query.name} joins {len(relations)} relations; streams meet through one"
    if not streams:
        return f"{query.name} has no stream"
    if not relations and len(streams) == 1:
        return f"{query.name} joins nothing"
    names = [s.name for s in streams]
    if len(set(names)) < len(names):
        return f"{query.name} joins a stream with itself, and each tuple is kept once"
    for source in streams:
        if not isinstance(source.window, TimeWindow):
            return (
                f"{source.alias} has the window [{source.window}], and a tuple lives for a time; "
                "use RANGE"
            )
    others = [p for p in query.predicates if not p.is_equality]
    if others:
        return f"{others[0]} is no equality, and streams are joined by equal keys"
    if any(source.crossed for source in query.sources):
        return f"{query.name} has a CROSS JOIN, and streams are joined by equal keys"
    return None


def _links(workload: Workload, query: Query) -> str | None:
    fact = next((s for s in query.sources if relation_of(workload, s) is not None), None)
    streams = [s for s in query.sources if s is not fact]
    for source in streams:
        classes = [c for c in query.equality_classes() if source.alias in {x.alias for x in c}]
        if len(classes) > 1:
            keys = listed(x.attribute for c in classes for x in c if x.alias == source.alias)
            return f"{source.alias} is joined by {keys}; one attribute of each stream is covered"
        if fact is not None and link(query, source, fact)[1] is None:
            return (
                f"{source.alias} is not joined with {fact.alias}; in a star every stream is joined "
                "with the relation"
            )
    return None


def _importance(workload: Workload, query: Query) -> str | None:
    """Importance must be a number above 0 that every tuple has."""
    for source in query.sources:
        if relation_of(workload, source) is not None:
            continue
        stream = workload.stream(source.name)
        attribute = stream.attributes.get(stream.importance or "")
        if attribute is None:
            continue
        place = f"{stream.name}.{stream.importance}"
        if attribute.type == "string" and attribute.importance_of is None:
            return f"{place} is text, and importance is a number; name another attribute"
        spec = attribute.importance_of
        behind = stream.attributes.get(spec.attribute) if spec is not None else attribute
        if behind is not None and behind.missing:
            return (
                f"{place} is missing in {100 * behind.missing:.3g}% of the tuples, and every tuple "
                "needs an importance; fill it in, or leave those tuples out"
            )
        if not all(float(v) > 0 for v in attribute.values if not isinstance(v, str)):
            return f"{place} has values of 0 or below, and importance is above 0; change them"
    return None


def _access(workload: Workload) -> str | None:
    """Rows are laid out by one attribute at most: a hash or an order serves no other."""
    star = star_of(workload)
    laid_out = [arm for arm in star.arms if arm.access in ("hash", "search")]
    columns = list(dict.fromkeys(arm.joined for arm in laid_out))
    if star.relation is None or len(columns) < 2:
        return None
    first = next(arm for arm in laid_out if arm.joined == columns[0])
    other = next(arm for arm in laid_out if arm.joined == columns[1])
    return (
        f"{first.source.alias} finds rows of {star.relation.alias} by {first.access} and "
        f"{other.source.alias} by {other.access}, through different attributes; rows are laid out "
        "by one: use index or scan for one of them in execution.shedding.access"
    )
