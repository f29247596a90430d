"""Behind a ranking of schedules: the load, where delays come from, what each policy means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.families.shared_schedule.labels import MQT, NAMES, schedule_of
from planner.families.shared_schedule.policies import rule_of
from planner.families.shared_schedule.predictions import SIMULATED, SchedulePredictions
from planner.numbers import amount, shortened, times
from planner.workload.validation import listed


def rounded(score: float) -> float:
    """To three digits, as sentences say it."""
    return float(f"{score:.3g}")


def ms(seconds: float) -> str:
    """Seconds as milliseconds in words."""
    return f"{amount(rounded(1e3 * float(seconds)))} ms"


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.2g}%"


def notes(predictions: SchedulePredictions, labels: Sequence[str]) -> tuple[str, ...]:
    """How loaded the server is, and where delays come from."""
    return (*_load(predictions), *_models(predictions, labels))


def _load(predictions: SchedulePredictions) -> Iterator[str]:
    clock = predictions.clock
    scaled = ""
    if clock.is_scaled:
        scaled = f", scaled from {percent(clock.real_load)} by execution.utilisation"
    yield (
        f"The clock of work is {percent(clock.load)} loaded{scaled}: a comparison takes "
        f"{_time(clock.compare)}, an output {_time(clock.output)} ({clock.source})."
    )
    if not clock.is_steady:
        yield (
            f"There is no steady state: {amount(rounded(clock.growth))} s of work pile up per "
            "second."
        )


def _time(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{amount(rounded(seconds / unit))} {name}"
    return f"{amount(rounded(seconds * 1e9))} ns"


def _models(predictions: SchedulePredictions, labels: Sequence[str]) -> Iterator[str]:
    if not predictions.has_mean:
        yield (
            "Bursts of 2 or more on average have no finite variance, so that delays have no mean: "
            "policies are compared by medians and other quantiles, on the same arrivals."
        )
    group = predictions.model.group
    found = {label: predictions.of(schedule_of(group, label)) for label in labels}
    drawn = [label for label, own in found.items() if own.model == SIMULATED]
    closed = [label for label in labels if label not in drawn]
    if closed:
        yield f"Mean delays of {listed(closed)}: M/G/1 queues in closed form."
    if drawn:
        error = max(found[label].error for label in drawn)
        yield (
            f"Delays of {listed(drawn)} are simulated on a seeded sample of "
            f"{len(predictions.sample.ts):,} arrivals, within about {max(1, round(200 * error))}%; "
            f"so are all quantiles{_longest(predictions)}."
        )
    if drawn and (covered := predictions.expected_work.covered) < 1:
        yield (
            f"Near full load the work that waits swings slowly: {percent(covered)} of the arrivals "
            "that its mean needs were drawn, so that all delays together may be off by as much. "
            "Between policies this decides little, since it is the same under all."
        )
    steady = predictions.clock.is_steady and predictions.has_mean
    poisson = all(s.arrivals.kind == "poisson" for s in predictions.model.streams)
    if steady and poisson and predictions.closed is None:
        share = predictions.scans.load_deviation / predictions.clock.load
        yield (
            f"Windows hold so few tuples that the load itself varies by {percent(share)}: closed "
            "forms do not fit."
        )


def _longest(predictions: SchedulePredictions) -> str:
    """Of how many tuples the longest delay is, where there is one."""
    if not predictions.has_mean or not predictions.clock.is_steady:
        return ", and no longest delay is predicted, since it grows with the run"
    measured = len(predictions.sample.ts) - predictions.sample.measured
    run = predictions.tuples_of_a_run
    if run > measured:
        return f", and the longest delays of {measured:,} of the {run:,} tuples of a run"
    return f", and the longest delays of the {run:,} tuples of a run"


def why(predictions: SchedulePredictions, labels: Sequence[str]) -> tuple[str, ...]:
    """What is shared, what each policy means for queries, and what waits where."""
    text = [*_shared(predictions), *(_policy(predictions, label) for label in labels)]
    text += _metric(predictions, labels)
    text += _ties(predictions)
    text += _buffers(predictions, labels)
    return tuple(text)


def _shared(predictions: SchedulePredictions) -> Iterator[str]:
    model = predictions.model
    group, count = model.group, len(model.windows)
    unit = "seconds" if group.unit == "seconds" else "rows"
    queries = len(group.members)
    who = "One query scans" if queries == 1 else f"{queries} queries share one scan of"
    windows = "one window" if count == 1 else f"{count} windows up to"
    yield (
        f"{who} {group.streams[0]} and {group.streams[1]} on {shortened(group.on)}, with {windows} "
        f"{group.text_of(model.windows[-1])} {unit}."
    )


def _policy(predictions: SchedulePredictions, label: str) -> str:
    model = predictions.model
    schedule = schedule_of(model.group, label)
    own = predictions.typical(schedule)
    kind = "on average" if predictions.has_mean else "in the median"
    first, last = (model.group.text_of(model.windows[place]) for place in (0, -1))
    stretch = float((own / predictions.isolated).max()) if predictions.isolated.all() else 0.0
    alone = f"; at worst {times(stretch, 1)} as long as alone" if stretch else ""
    name = NAMES[schedule.policy]
    if len(model.windows) == 1:
        return f"{label} ({name}): {ms(own[0])} {kind}{alone}."
    return (
        f"{label} ({name}): window {first} waits {ms(own[0])} {kind}, window {last} "
        f"{ms(own[-1])}{alone}."
    )


def _metric(predictions: SchedulePredictions, labels: Sequence[str]) -> Iterator[str]:
    """Whether queries and results agree on the best policy."""
    model = predictions.model
    results = [
        model.matches(place).value * sum(model.passing(m)[1] for m in members)
        for place, members in enumerate(model.members)
    ]
    if not any(results):
        return
    own = {label: schedule_of(model.group, label) for label in labels}
    by_query = min(labels, key=lambda label: predictions.over_queries(own[label]))
    by_result = min(labels, key=lambda label: predictions.weighted(own[label], results))
    if by_query != by_result:
        yield (
            f"{by_query} is best where every query counts alike, {by_result} where every result "
            "does: large windows have most results."
        )


def _ties(predictions: SchedulePredictions) -> Iterator[str]:
    """What the rule for equal throughputs decides, where it decides anything."""
    model = predictions.model
    wanted = model.wanted(list)
    larger, smaller = (
        rule_of(MQT, model.group.boundaries, wanted, ties) for ties in ("larger", "smaller")
    )
    if larger.targets() == smaller.targets():
        return
    stated = model.workload.execution.ties
    yield (
        f"Some partial windows serve equally many queries per length: MQT prefers the {stated} "
        "window (execution.ties)."
    )


def _buffers(predictions: SchedulePredictions, labels: Sequence[str]) -> Iterator[str]:
    """What the join, the queue and held results take, under each policy."""
    model = predictions.model
    stored = sum(expression.value for expression in model.largest)
    group = model.group
    waiting = listed(
        (
            f"{label} {amount(rounded(found.queue))} and {amount(rounded(found.held))}"
            for label, found in (
                (label, predictions.of(schedule_of(group, label))) for label in labels
            )
        ),
        12,
    )
    yield (
        f"The join holds {amount(round(stored))} tuples. Beside it wait, on average, tuples to be "
        f"scanned and matches to be released: {waiting}."
    )
