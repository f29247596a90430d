"""The verdict in words, for every family: who wins, why, and who wins by time instead."""

from __future__ import annotations

import re
from functools import cache

import pytest

from planner.families.causes import causes, runner_up
from planner.families.disagreement import disagreement
from planner.families.protocol import PlanSpace
from planner.families.registry import family, plan_title
from planner.files.workload_file import load_workload
from planner.numbers import duration, figure
from planner.seconds.spending import spending
from runtime.data.folders import PROJECT
from tests.thinning import Thinning

SAMPLES = {
    "golab-table-7": "join_order",
    "lazy-join": "join_order",
    "golab-table-5": "join_order",
    "network-packets": "early_aggregation",
    "temperature-humidity": "sliced_chain",
    "seven-windows": "shared_schedule",
    "suspicious-payments": "load_shedding",
}
DISAGREEING = {"golab-table-7", "lazy-join", "temperature-humidity"}
NUMBER = re.compile(r"(?<![\w\[-])\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?(?![\d/])")


@cache
def _space(sample: str) -> PlanSpace:
    text = (PROJECT / "sample_data" / f"{sample}.yaml").read_text()
    return family(SAMPLES[sample]).space(load_workload(text))


def _sentences(sample: str, by: str | None) -> list[str]:
    space = _space(sample)
    ranking = space.rank(space.objective(by), 10)
    said = [space.explanation(ranking).answer, disagreement(space, ranking)]
    return [*said, *causes(space, ranking)]


def _digits(number: str) -> int:
    figures = number.split("e")[0].replace(",", "")
    return len(figures.strip("0").replace(".", "").strip("0"))


@pytest.mark.parametrize("by", [None, "seconds"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_no_sentence_has_more_than_three_digits_or_two_meanings_of_a_second(
    sample: str, by: str | None
) -> None:
    for sentence in _sentences(sample, by):
        long = [found for found in NUMBER.findall(sentence) if _digits(found) > 3]
        assert not long, f"{long} in {sentence}"
        assert "/s" not in sentence
        assert "per s," not in sentence


@pytest.mark.parametrize("sample", SAMPLES)
def test_another_winner_is_named_exactly_where_work_and_time_disagree(sample: str) -> None:
    space = _space(sample)
    work, seconds = (space.rank(space.objective(name), 10) for name in ("work", "seconds"))
    timed = dict(
        zip(
            (work.best, seconds.best),
            space.scores([work.best, seconds.best], space.objective("seconds")),
            strict=True,
        )
    )
    apart = timed[work.best] > 1.02 * timed[seconds.best]
    said = disagreement(space, work)
    assert bool(said) == apart == bool(disagreement(space, seconds))
    assert (sample in DISAGREEING) <= apart
    if apart:
        assert space.title(seconds.best) in said
        assert space.title(work.best) in disagreement(space, seconds)
        plan = space.plan(work.best)
        spent = spending(space.kernel_work(plan, space.estimate(plan).costs), space.units)
        dear = re.findall(r": (.*?) costs ([\d.]+ [nµm]?s) here", said)[0]
        assert duration(spent[dear[0]].each) == dear[1]
        assert sum(own.seconds for own in spent.values()) == pytest.approx(
            timed[work.best], rel=0.01
        )
    assert not disagreement(space, space.rank(space.objective("state"), 5))


@pytest.mark.parametrize("by", ["work", "seconds", "state"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_the_runner_up_is_worse_and_costs_more_where_it_is_said_to(sample: str, by: str) -> None:
    space = _space(sample)
    ranking = space.rank(space.objective(by), 10)
    found, rival = causes(space, ranking), runner_up(ranking)
    apart = [cause for cause in found if cause.startswith("The next different plan")]
    assert len(apart) == (rival is not None)
    if rival is None:
        best = ranking.of(ranking.best).score
        assert all(ranking.by.within(c.score, best, 1.01) for c in ranking.candidates)
        assert "it hardly matters which runs" in found[-1]
        return
    named = [cause for cause in found if cause.startswith("It needs") or "tuples for" in cause]
    assert named
    for cause in named:
        if "needs more" in cause:
            assert ("CPU" in cause) == (by == "seconds")
        assert not re.search(r"\[\d", cause), "bounds of a slice are no words"
        for text, other in re.findall(r"\(([\d.,]+) instead of ([\d.,]+)\)", cause):
            theirs, own = (float(value.replace(",", "")) for value in (text, other))
            assert (theirs > own) == ("more" in cause.split(" for ")[0])


def test_where_all_plans_hold_the_same_nothing_is_said_for_one_of_them() -> None:
    space = _space("golab-table-7")
    ranking = space.rank(space.objective("state"), 50)
    assert space.explanation(ranking).answer == "All plans come to the same: 2,300 tuples held."
    (only,) = causes(space, ranking)
    assert only.startswith("All plans that are listed come to the same: by memory")


@pytest.mark.parametrize("sample", SAMPLES)
def test_causes_name_true_facts_and_the_next_different_plan(sample: str) -> None:
    space = _space(sample)
    ranking = space.rank(top=10)
    found = causes(space, ranking)
    rates = {s.name: s.rate or 0.0 for s in space.workload.streams}
    aliases = {s.alias: s.name for q in space.workload.queries for s in q.sources}
    for cause in found:
        if "is the slowest stream" in cause:
            name = cause.split()[0]
            assert rates[aliases.get(name, name)] == min(rates.values())
            assert f"rate of {figure(min(rates.values()))} per second" in cause
    rival = runner_up(ranking)
    assert rival is not None
    assert any(space.title(rival.label) in cause for cause in found)
    best = ranking.of(ranking.best).score
    assert not ranking.by.within(rival.score, best, 1.01)


def test_the_small_window_and_the_selective_pair_are_those_of_the_model() -> None:
    found = " ".join(causes(_space("golab-table-7"), _space("golab-table-7").rank(top=10)))
    assert "S3 is probed first: its window is the smallest, with 100 tuples" in found
    found = " ".join(causes(_space("golab-table-5"), _space("golab-table-5").rank(top=10)))
    assert "S1 and S2 are joined first: no pair is more selective, with 200 results" in found


def test_a_family_without_words_of_its_own_has_causes_too() -> None:
    streams = "streams: [{name: A, rate: 3}]"
    text = f"version: 1\n{streams}\nqueries: [{{name: Q, text: 'SELECT * FROM A [RANGE 5]'}}]\n"
    space = Thinning().space(load_workload(text))
    found = causes(space, space.rank())
    assert any("FIFTH" in cause for cause in found)
    assert plan_title("thinning", "HALF") == space.title("HALF") == "HALF"


def test_titles_of_plans_in_a_list_are_all_different() -> None:
    for sample in SAMPLES:
        space = _space(sample)
        labels = [candidate.label for candidate in space.rank(top=10).candidates]
        assert len({space.title(label) for label in labels}) == len(labels), sample
