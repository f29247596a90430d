"""Schedules in one sentence: which policy wins, why, and which queries gain and pay."""

from __future__ import annotations

import numpy as np

from planner.families.base import near_ties, plain_answer
from planner.families.protocol import Ranking
from planner.families.shared_schedule.labels import (
    EDF,
    FAIR,
    LWO,
    MQT,
    OUT,
    SWF,
    WMQT,
    Schedule,
    schedule_of,
)
from planner.families.shared_schedule.predictions import SchedulePredictions
from planner.families.shared_schedule.ranking_notes import ms, percent, rounded
from planner.families.shared_schedule.titles import title
from planner.numbers import amount, quoted, shortened
from planner.numbers import figure as three_digits
from planner.workload.workload import Workload

# Below this load a tuple rarely finds another one waiting.
LOW_LOAD = 0.2
# Policies whose scores are this close look alike.
ALIKE = 1.05
DELAYS = ("delay", "worst-query", "p95", "output-delay", "stretch", "weighted-delay", "lateness")
REASONS = {
    LWO: "every tuple is served whole, so that nobody's largest window waits for small ones",
    SWF: "small windows are served first, whoever waits for a large one",
    MQT: "it scans first what serves most queries per length of window",
    WMQT: "it scans first what serves most weight per length of window",
    EDF: "it serves first whose deadline is nearest",
    FAIR: "it serves first whose delay grows most beside what it would be alone",
    OUT: "it scans first what completes most results per length of window",
}


def answer(workload: Workload, predictions: SchedulePredictions, ranking: Ranking) -> str:
    """Which policy wins, how long queries wait under it and why, and what comes close."""
    by, best = ranking.by, ranking.of(ranking.best)
    if by.name not in DELAYS:
        return plain_answer(ranking, title)
    baseline = ranking.of(ranking.baseline)
    head = f"{title(best.label)} wins: {_said(by.name, best.score, by.unit)}"
    alike = _alike(predictions, ranking)
    if alike:
        return f"{head}, but {alike}."
    ties = near_ties(best, ranking)
    policy = schedule_of(predictions.model.group, best.label).policy
    if best.label == baseline.label:
        return f"{head}, because {REASONS[policy]}{ties}{_growing(predictions)}."
    ahead = f"{by.ahead(best.score, baseline.score)} than under {quoted(title(baseline.label))}"
    if baseline.score < 1.1 * best.score:
        ahead = f"under {quoted(title(baseline.label))} {by.behind(baseline.score, best.score)}"
    because = f"because {REASONS[policy]}{_for_queries(workload, predictions, best.label)}"
    return f"{head}, {ahead}, {because}{ties}{_growing(predictions)}."


def _said(name: str, score: float, unit: str) -> str:
    figure = f"{three_digits(score)} {unit}"
    return {
        "delay": f"queries wait {figure} on average",
        "worst-query": f"no query waits more than {figure} on average",
        "p95": f"all but 1 in 20 results come within {figure}, on average over queries",
        "output-delay": f"results wait {figure} on average",
        "stretch": f"no query waits longer than {figure}",
        "weighted-delay": f"by their weights, queries wait {figure} on average",
        "lateness": f"95% of every query's results come within {figure}",
    }[name]


def _alike(predictions: SchedulePredictions, ranking: Ranking) -> str:
    """Why policies hardly differ, where they do not."""
    if len(predictions.model.windows) == 1:
        return "all policies are the same: the queries have one window"
    scores = [c.score for c in ranking.candidates if c.label != SWF]
    if max(scores) > ALIKE * min(scores) or predictions.clock.load >= LOW_LOAD:
        return ""
    slower = [c for c in ranking.candidates if c.score > ALIKE * max(scores)]
    aside = " (SWF holds results until a partial scan ends)" if slower else ""
    return (
        f"at {percent(predictions.clock.load)} load policies look alike{aside}, because tuples "
        "rarely find another one waiting; set execution.utilisation to load the server more"
    )


def _growing(predictions: SchedulePredictions) -> str:
    clock = predictions.clock
    if clock.is_steady:
        return ""
    return (
        f"; these are the first {amount(rounded(predictions.sample.seconds))} s, and delays grow "
        "without end"
    )


def _for_queries(workload: Workload, predictions: SchedulePredictions, label: str) -> str:
    """The query that gains most against LWO, and the one that pays most."""
    model = predictions.model
    own = predictions.typical(schedule_of(model.group, label))
    whole = predictions.typical(Schedule(LWO))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(own > 0, whole / own, 1.0)
    gains, pays = int(ratio.argmax()), int(ratio.argmin())
    names = [members[0].query for members in model.members]
    text = ""
    if ratio[gains] > ALIKE:
        text = f": {_query(workload, names[gains])} waits {ms(own[gains])}, not {ms(whole[gains])}"
    if ratio[pays] < 1 / ALIKE and text:
        text += f", and {_query(workload, names[pays])} {ms(own[pays])}, not {ms(whole[pays])}"
    return text


def _query(workload: Workload, name: str) -> str:
    """A query with its window."""
    return f"{shortened(name, 24)} [{workload.query(name).sources[0].window}]"
