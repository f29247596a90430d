"""Why tuples meet or match more or less often than predicted: uneven arrivals, or their keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.plan.operator_names import join_of, operator_name
from planner.plan.plan import Operator
from planner.workload.query import Query, TimeWindow
from runtime.diagnosis.arrival_overlap import (
    counted_span,
    explains,
    meetings,
    slice_ages,
    sliced_meetings,
)
from runtime.diagnosis.arrival_reasons import DEVIATIONS, of_unevenness
from runtime.diagnosis.diagnosis import Origin, access
from runtime.diagnosis.key_matches import Matches, compared_matches, counted_matches
from runtime.diagnosis.lineage import arrivals, joined_streams, query_fed
from runtime.diagnosis.set_matches import set_share
from runtime.runs.records import Run

NOT_LOOKED_AT = "the tuples were not looked at"


def of_probe(run: Run, began: Origin, tables: Mapping[str, Table] | None) -> str:
    """Tuples that meet or match more or less often than predicted: what they themselves say."""
    where, reached = operator_name(began.operator), access(began.operator)
    if began.field == "comparisons" and reached == "scan":
        way = "more" if began.measured > began.predicted else "fewer"
        said = f"{where} met {way} pairs than rates and windows make"
        if tables is None:
            return f"{said}; {NOT_LOOKED_AT}"
        ratio = _meetings(run, began.operator, tables)
        if ratio is not None and explains(ratio, _error(began)):
            return _unevenly(run, began.operator, tables, ratio)
        return f"{said} if they are even over time"
    said = f"where {where}, tuples matched {_times(began)} as often as predicted"
    if run.request.data is None and (few := _few(run, began)):
        return f"{said}: {few}"
    if tables is None:
        return f"{said}; {NOT_LOOKED_AT}"
    ratio = _meetings(run, began.operator, tables)
    if ratio is not None and explains(ratio, _error(began)):
        return _unevenly(run, began.operator, tables, ratio)
    query = query_fed(run, began.operator)
    joined, source = _sides(query, began.operator)
    found = _found(run, query, tables, joined, source, began)
    if found is None:
        return said
    counted = found.assumed * began.measured / began.predicted
    return f"{said}: {_told(found, counted, run.request.data is None)}"


def of_results(run: Run, began: Origin, tables: Mapping[str, Table] | None) -> str:
    """An operator behind the joins that did more or less than what came in makes of it."""
    where = operator_name(began.operator)
    said = f"{where} did {_times(began)} as much as predicted with what came in"
    if tables is None:
        return said
    # A query takes of a shared join what is in its own windows: how many pairs are?
    query = query_fed(run, began.operator)
    windows = [source.window for source in query.sources]
    if len(windows) == 2 and all(isinstance(window, TimeWindow) for window in windows):
        names = [source.name for source in query.sources]
        ages = [(0, round(1e6 * w.seconds)) for w in windows if isinstance(w, TimeWindow)]
        ratio = sliced_meetings(run, tables, names, ages)
        if ratio is not None and explains(ratio, _error(began)):
            every = min(old for _, old in ages) / 1e6
            return of_unevenness(run, tables, names, every, ratio, "meet") or said
    return said


def _times(began: Origin) -> str:
    if not began.predicted:
        return "not nothing, but"
    return f"{began.measured / began.predicted:.2g} times"


def _error(began: Origin) -> float:
    return math.log(max(began.measured, 1e-12) / max(began.predicted, 1e-12))


def _meetings(run: Run, probe: Operator, tables: Mapping[str, Table]) -> float | None:
    """How often tuples met here, over what even arrivals make of it; None where not known."""
    query = query_fed(run, probe)
    join = join_of(probe)
    if join is None:
        joined, source = _sides(query, probe)
        origin = str(probe.param("origin"))
        before = [alias for alias in joined if alias != origin]
        met = meetings(run, tables, query, origin, before)
        all_met = meetings(run, tables, query, origin, [*before, source])
        # What came in has met the others already.
        return all_met / met if all_met is not None and met else None
    ages = slice_ages(join)
    return None if ages is None else sliced_meetings(run, tables, joined_streams(join), ages)


def _unevenly(run: Run, probe: Operator, tables: Mapping[str, Table], ratio: float) -> str:
    streams = [str(arrive.param("stream")) for arrive in arrivals(probe)]
    join = join_of(probe)
    if join is not None:
        every = float(join.param("end")) - float(join.param("start"))
    else:
        windows = [source.window for source in query_fed(run, probe).sources]
        every = min(w.seconds for w in windows if isinstance(w, TimeWindow))
    told = of_unevenness(run, tables, streams, every, ratio, "meet")
    return f"where {operator_name(probe)}, {told}"


def _few(run: Run, began: Origin) -> str:
    """Whether there were too few results to tell."""
    assert run.measurement is not None
    rate = run.measurement.costs[began.operator.id].rows_out
    results = rate * run.workload.run.duration
    if results and abs(_error(began)) > DEVIATIONS / math.sqrt(results):
        return ""
    return f"it found {amount(round(results))} matches in all, too few to tell it from chance"


def _found(
    run: Run,
    query: Query,
    tables: Mapping[str, Table],
    joined: Sequence[str],
    source: str,
    began: Origin,
) -> Matches | None:
    """How many pairs match, as the tuples have it; None where nothing links the two."""
    found = counted_matches(run.workload, query, tables, joined, source)
    if found is None:
        return compared_matches(run.workload, query, tables, joined, source)
    probe = began.operator
    if dict(probe.params).get("content") != "set":
        return found
    # Of a set, cells are met: how often is found in the sets, and told only where it is the reason.
    ratio = began.measured / began.predicted
    span = counted_span(run, tables)
    share = None if span is None else set_share(query, tables, joined, probe.inputs[1], span)
    if share is None or not _explains(share, found.assumed * ratio, abs(math.log(ratio))):
        return None
    return replace(found, share=share, together=None, match="of a tuple and a cell are equal")


def _sides(query: Query, probe: Operator) -> tuple[list[str], str]:
    """The sources that are joined when this probe looks for another, and that other."""
    params = dict(probe.params)
    if "source" not in params:
        first, second = (source.alias for source in query.sources[:2])
        return [first], second
    joined: list[str] = []
    for operator in _upstream(probe):
        alias = dict(operator.params).get("source")
        if operator.kind in ("probe", "arrive", "expire") and alias not in (None, *joined):
            joined.append(str(alias))
    return joined, str(params["source"])


def _upstream(probe: Operator) -> list[Operator]:
    """What comes in at the probe, and at those before it."""
    found = []
    while probe.kind == "probe":
        probe = probe.inputs[0]
        found.append(probe)
    return found


def _told(found: Matches, counted: float, drawn: bool) -> str:
    """What the tuples' keys say of a share of pairs that was measured."""
    error = abs(math.log(counted / found.assumed))
    assumed = f"{_percent(found.assumed)} predicted"
    if _explains(found.share, counted, error):
        spread = "came out so by chance" if drawn else "are not spread as the model assumes"
        because = found.unlike or f"the values {spread}"
        return f"{because} ({_percent(found.share)} of all pairs {found.match}, {assumed})"
    if found.together is not None and _explains(found.together, counted, error):
        return (
            "the attributes are taken as independent, and are not "
            f"({_percent(found.together)} of all pairs are equal in all of them, {assumed})"
        )
    because = (
        "by chance, as values are drawn at random"
        if drawn
        else "equal keys come near each other in time, or depend on what else is asked for"
    )
    return (
        f"{because} "
        f"({_percent(found.share)} of all pairs are equal, {_percent(counted)} of those that met)"
    )


def _explains(share: float, counted: float, error: float) -> bool:
    """Whether a share of pairs comes at least twice as near to what was counted as the model."""
    return share > 0 and abs(math.log(counted / share)) <= error / 2


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
