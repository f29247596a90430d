"""Shedding in one sentence: which policy keeps most, why, and what that is of the exact answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.families.base import near_ties, plain_answer
from planner.families.load_shedding.labels import (
    EXACT,
    EXPECTED_GAIN,
    GAIN_AND_LOSS,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
    MATCHES_OF_NOW,
    MOST_RESULTS,
    OFFLINE,
    OPTIMUM,
    RANDOM,
)
from planner.families.load_shedding.prediction.predictions import (
    NOTHING_KEPT,
    SIMULATED,
    SheddingPredictions,
)
from planner.families.load_shedding.star import is_loaded
from planner.families.load_shedding.titles import title
from planner.families.protocol import Candidate, Ranking
from planner.numbers import amount, figure, quoted
from planner.workload.validation import listed

ANSWERS = ("importance", "recall")
UNPREDICTED = (
    "What the processor drops, and how long tuples wait for it, is not predicted: all figures are "
    "those of a processor that keeps up. A run measures both."
)
REASONS = {
    OPTIMUM: "it knows which tuples will come, and keeps those that give most importance",
    MOST_RESULTS: "it knows which tuples will come, and keeps those that give most results",
    RANDOM: "chance keeps young tuples and old ones, frequent keys and rare ones alike",
    IMPORTANCE: "it keeps the most important tuples, however rarely they are joined",
    IMPORTANCE_AND_MATCHES: "it keeps important tuples that had many partners when they came",
    MATCHES_OF_NOW: "it keeps important tuples that have many partners now",
    GAIN_AND_LOSS: "it keeps tuples that were in important results, and have long to live",
    EXPECTED_GAIN: "it keeps what should gain most importance per second, by what it has seen",
}


def answer(predictions: SheddingPredictions, labels: Sequence[str], ranking: Ranking) -> str:
    """Which policy wins, what share of the exact answer it gives and why, and what comes close."""
    said = _answer(predictions, labels, ranking)
    return f"{said} {UNPREDICTED}" if is_loaded(predictions.model.workload) else said


def _answer(predictions: SheddingPredictions, labels: Sequence[str], ranking: Ranking) -> str:
    by, best = ranking.by, ranking.of(ranking.best)
    if by.name not in ANSWERS:
        return plain_answer(ranking, title)
    head = f"{title(best.label)} wins: {_said(ranking, best)}"
    if (reason := predictions.without_shedding) is not None:
        because = "memory holds the windows"
        if reason == NOTHING_KEPT:
            because = "a single stream is joined with the relation as it comes, and nothing is kept"
        return f"{head}, as under every policy: {because}, so that nothing is shed."
    if not any(predictions.shares):
        return f"{head}, as under every policy: the memory is too small for a tuple of each stream."
    if not predictions.exact.results:
        return f"{head}, as under every policy: no tuples are joined."
    sentence = f"{head}, because {REASONS[best.label]}{near_ties(best, ranking)}"
    if best.label in OFFLINE:
        sentence += f"; {_of_online(predictions, labels, ranking)}"
    return f"{sentence}."


def _said(ranking: Ranking, candidate: Candidate) -> str:
    exact = ranking.of(ranking.baseline).score
    share = candidate.score / exact if exact else 1.0
    if ranking.by.name == "recall":
        return f"{percent(candidate.score)} of the results"
    whole = f", {percent(share)} of the {figure(exact)} without a bound" if exact else ""
    return f"importance {figure(candidate.score)}{whole}"


def _of_online(predictions: SheddingPredictions, labels: Sequence[str], ranking: Ranking) -> str:
    """Which of the policies that live streams can have gives most, and how far the next is."""
    by = ranking.by
    scores = {
        label: getattr(predictions.of(label), by.name)
        for label in labels
        if label not in (*OFFLINE, EXACT)
    }
    first, second, *_ = by.ordered(scores)
    exact = getattr(predictions.exact, by.name)
    share = percent(scores[first] / exact if exact else 1.0)
    behind = by.behind(scores[second], scores[first])
    return (
        f"of policies that decide as tuples come, {quoted(title(first))} gives most ({share}), "
        f"then {quoted(title(second))} ({behind})"
    )


def notes(predictions: SheddingPredictions, labels: Sequence[str]) -> tuple[str, ...]:
    """Which figures are simulated and on what, and what no live stream can have."""
    return tuple(_notes(predictions, labels))


def _notes(predictions: SheddingPredictions, labels: Sequence[str]) -> Iterator[str]:
    model = predictions.model
    yield (
        f"Importance and recall are of the whole run of {amount(model.span)} s, warm-up included; "
        "EXACT has no bound and is never the best."
    )
    if model.query.aggregates and predictions.without_shedding is None:
        yield (
            f"Of COUNT and SUM only {RANDOM} has estimates that are right on average; what other "
            "policies count is a lower bound, and what they add up is of the results they found."
        )
    if predictions.without_shedding is not None:
        return
    if known := [label for label in OFFLINE if label in labels]:
        yield (
            f"{listed(known)} {'know' if len(known) > 1 else 'knows'} the future: a bound for the "
            "others on recorded data, not a choice for live streams."
        )
    simulated = [label for label in labels if predictions.of(label).model == SIMULATED]
    closed = [label for label in labels if predictions.of(label).model != SIMULATED]
    if simulated:
        yield f"Simulated {_sample_words(predictions)}: {listed(simulated)}."
    if closed:
        yield f"Predicted in closed form: {listed(closed)}."


def _sample_words(predictions: SheddingPredictions) -> str:
    sample = predictions.sampled.sample
    text = f"on {sample.tuples:,} tuples that are drawn as a run's are, by another seed"
    if not predictions.sampled.is_whole_run:
        text += ", and scaled to the run"
    if sample.thinned > 1:
        text += (
            f" (one in {amount(sample.thinned)} tuples is there, and memory is smaller by as much)"
        )
    return text


def why(predictions: SheddingPredictions, labels: Sequence[str]) -> tuple[str, ...]:
    """How the figures come about, one sentence each."""
    return tuple(_why(predictions, labels))


def _why(predictions: SheddingPredictions, labels: Sequence[str]) -> Iterator[str]:
    model = predictions.model
    for place, arm in enumerate(model.star.arms):
        alias = arm.source.alias
        if model.star.relation is not None:
            found = percent(model.matching[place])
            yield (
                f"{found} of the tuples of {alias} have a row in {model.star.relation.alias}, "
                f"{figure(model.found(arm))} on average per tuple."
            )
        if len(model.star.arms) > 1:
            window = predictions.given(place) * model.lifetimes[place]
            yield (
                f"The window of {alias} would hold {figure(window)} tuples, and {arm.share:,} may "
                "be kept."
            )
    exact = predictions.exact
    mean, _ = predictions.mean_importance
    yield (
        f"Without a bound there would be {figure(exact.results)} results of importance "
        f"{figure(mean)} on average."
    )
    for label in labels:
        if label != EXACT:
            own = predictions.of(label)
            share = own.importance / exact.importance if exact.importance else 1.0
            yield (
                f"{label} should find {percent(own.recall)} of the results and {percent(share)} "
                f"of the importance: {REASONS[label]}."
            )


def percent(share: float) -> str:
    """A share in words: 45%, or 0.3% where it is small."""
    return f"{100 * share:.0f}%" if share >= 0.1 or not share else f"{100 * share:.2g}%"
