"""Why the model is wrong about operators of a run: reasons that were checked, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from planner.cost import q_error
from planner.operator_names import operator_name
from planner.plan import Operator
from planner.query import Query, Source, TimeWindow
from planner.streams import Stream
from planner.tables import Table
from planner.wording import amount
from runtime.diagnosis import MET, Origin, Suspect, access, origin, suspects
from runtime.key_matches import Matches, counted_matches
from runtime.passing import passing
from runtime.records import Run

UNITS = {
    "comparisons": ("made", "comparisons/s"),
    "inserts": ("made", "inserts/s"),
    "group_updates": ("made", "group updates/s"),
    "rows_out": ("gave", "rows/s"),
    "state_tuples": ("held", "tuples"),
}
# Counts of independent arrivals are seldom further from their mean than so many deviations.
_DEVIATIONS = 3.0
_CONDITIONED = ("filter", "survive", "split", "select", "slice", "probe")
NOT_LOOKED_AT = "the tuples were not looked at"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Operators that the model is wrong about for one reason, the worst first, and that reason."""

    suspects: tuple[Suspect, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """Which operators by how much, and why."""
        told = "; ".join(map(told_error, self.suspects))
        return f"{told}: {self.reason}."


def diagnosed(run: Run, tables: Mapping[str, Table] | None = None) -> list[Diagnosis]:
    """The operators that the model is wrong about, with reasons; the worst first, none if none is.

    With the tuples of the run, their keys are looked at, too.
    """
    groups: dict[str, list[Suspect]] = {}
    for suspect in suspects(run):
        reason = _reason(run, origin(run, suspect), tables)
        groups.setdefault(reason, []).append(suspect)
    return [Diagnosis(tuple(group), reason) for reason, group in groups.items()]


def told_error(suspect: Suspect) -> str:
    """An operator with both figures, the q-error, and what share of the plan's figure it is off."""
    verb, unit = UNITS[suspect.field]
    error = q_error(suspect.predicted, suspect.measured)
    way = "over" if suspect.predicted > suspect.measured else "under"
    told = "" if error is None else f", q-error {error:.3g} {way}"
    return (
        f"{operator_name(suspect.operator)} {verb} {amount(suspect.measured)} {unit}, "
        f"{amount(suspect.predicted)} predicted{told} ({100 * suspect.share:.2g}% of the plan's)"
    )


def _reason(run: Run, began: Origin, tables: Mapping[str, Table] | None) -> str:
    if began.factor == "rate":
        return _of_rate(run, began.operator, began.predicted, began.measured)
    if began.factor == "held":
        return _of_state(run, began)
    if began.operator.kind in _CONDITIONED and tables is not None:
        passed = passing(run, tables)
        if passed:
            return passed
    if began.operator.kind == "probe":
        return _of_keys(run, began, tables)
    where = operator_name(began.operator)
    return f"{where} did {_times(began)} as much as predicted with what came in"


def _times(began: Origin) -> str:
    if not began.predicted:
        return "not nothing, but"
    ratio = began.measured / began.predicted
    return f"{ratio:.2g} times"


def _of_rate(run: Run, operator: Operator, expected: float, counted: float) -> str:
    """A stream that came faster or slower than planned: by chance, or because of its data."""
    name = str(operator.param("stream"))
    said = f"{name} brought {amount(counted)} tuples/s where {amount(expected)} were planned with"
    stream = next(stream for stream in run.workload.streams if stream.name == name)
    if run.request.data is not None:
        asked = next(s for s in run.request.workload.streams if s.name == name)
        if asked.rate is None:
            return f"{said}, the mean over all its data: its rate changes over time"
        return f"{said}, as is declared: leave the rate out, and it is taken from the data"
    return f"{said}: {_by_chance(stream, expected, counted, run.workload.run.duration)}"


def _by_chance(stream: Stream, expected: float, counted: float, seconds: float) -> str:
    if stream.arrivals.kind == "pareto":
        size = amount(stream.arrivals.burst)
        return f"it arrives in bursts of {size} on the mean; run longer to see less of it"
    mean = expected * seconds
    usual = math.sqrt(mean)
    if abs(counted * seconds - mean) <= _DEVIATIONS * usual:
        return (
            f"of {amount(mean)} arrivals, {amount(round(usual))} more or less are chance; "
            "run longer to see less of it"
        )
    return "more than chance makes of it"


def _of_state(run: Run, began: Origin) -> str:
    """What windows hold: they were not full yet, or their stream came otherwise than planned."""
    where = operator_name(began.operator).removeprefix("insert ")
    held, expected = amount(began.measured), amount(began.predicted)
    said = f"{where} held {held} tuples where {expected} were expected"
    workload = run.workload
    if workload.warmup < workload.longest_window and began.measured < began.predicted:
        return (
            f"counting began after {workload.warmup:g} s, when windows of up to "
            f"{workload.longest_window:g} s were not full yet; a longer warm-up would fill them"
        )
    if began.operator.kind == "aggregate":
        return f"{said}: as many different cells were there at a time"
    source = _source(run, began.operator)
    stream = next((s for s in workload.streams if source and s.name == source.name), None)
    if stream is None or stream.rate is None or run.measurement is None or source is None:
        return said
    seconds = workload.warmup + workload.run.duration
    rate = run.measurement.rows.get(stream.name, 0) / seconds
    error = q_error(stream.rate, rate)
    if run.request.data is None and error is not None and error > MET:
        return f"{said}: {_by_chance(stream, stream.rate, rate, seconds)}"
    if isinstance(source.window, TimeWindow) and run.request.data is None:
        length = source.window.seconds
        return f"{said}: {_by_chance(stream, stream.rate, began.measured / length, length)}"
    return said


def _source(run: Run, operator: Operator) -> Source | None:
    alias = dict(operator.params).get("source")
    query = run.workload.queries[0]
    return next((source for source in query.sources if source.alias == alias), None)


def _of_keys(run: Run, began: Origin, tables: Mapping[str, Table] | None) -> str:
    """Tuples that meet or match more or less often than predicted: what their keys say."""
    where, reached = operator_name(began.operator), access(began.operator)
    if began.field == "comparisons" and reached == "scan":
        way = "more" if began.measured > began.predicted else "fewer"
        return f"{where} met {way} pairs than rates and windows make if they are even over time"
    said = f"where {where}, tuples matched {_times(began)} as often as predicted"
    if run.request.data is None and (few := _few(run, began)):
        return f"{said}: {few}"
    if tables is None:
        return f"{said}; {NOT_LOOKED_AT}"
    query = run.workload.queries[0]
    joined, source = _sides(query, began.operator)
    found = counted_matches(run.workload, query, tables, joined, source)
    if found is None or dict(began.operator.params).get("content") == "set":
        return said
    counted = found.assumed * began.measured / began.predicted
    return f"{said}: {_told(found, counted, run.request.data is None)}"


def _few(run: Run, began: Origin) -> str:
    """Whether there were too few results to tell."""
    assert run.measurement is not None
    rate = run.measurement.costs[began.operator.id].rows_out
    results = rate * run.workload.run.duration
    off = abs(math.log(max(began.measured, 1e-12) / max(began.predicted, 1e-12)))
    if results and off > _DEVIATIONS / math.sqrt(results):
        return ""
    return f"it found {amount(round(results))} matches in all, too few to tell it from chance"


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
        return f"{because} ({_percent(found.share)} of all pairs have equal keys, {assumed})"
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
