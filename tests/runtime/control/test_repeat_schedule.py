"""Repeats of plans: which runs there are, and in which order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import PlanError
from runtime.runs.records import MOST_REPEATS, RunRequest, repeated
from runtime.runs.run_json import run_from_json, run_to_json
from tests.runtime.run_records import a_request, a_run


def _plans(seed: int = 1) -> list[RunRequest]:
    return [a_request(label, seed) for label in "abcdef"]


def test_every_round_has_every_plan_once_in_an_order_of_its_own() -> None:
    made = repeated(_plans(), 4)
    rounds = [made[start : start + 6] for start in range(0, 24, 6)]
    for number, of_round in enumerate(rounds, 1):
        assert {request.repeat for request in of_round} == {number}
        assert sorted(request.label for request in of_round) == list("abcdef")
    assert len({tuple(request.label for request in of_round) for of_round in rounds}) > 1
    assert len({request.series for request in made}) == 1
    assert made[0].series


def test_the_order_follows_from_the_seed() -> None:
    def order(seed: int) -> list[str]:
        return [request.label for request in repeated(_plans(seed), 3)]

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_what_runs_once_keeps_its_order_and_has_no_series() -> None:
    assert repeated(_plans(), 1) == _plans()
    assert repeated([], 3) == []


def test_repeats_share_no_folder_of_results(tmp_path: Path) -> None:
    made = repeated([replace(a_request(), results=tmp_path / "out")], 3)
    assert [request.results for request in made] == [tmp_path / f"out-{n}" for n in (1, 2, 3)]


@pytest.mark.parametrize("repeats", [0, MOST_REPEATS + 1])
def test_repeats_are_limited(repeats: int) -> None:
    with pytest.raises(PlanError, match=f"repeats: must be from 1 to 20, got {repeats}"):
        repeated(_plans(), repeats)


def test_a_record_keeps_its_series_and_older_ones_have_none() -> None:
    run = a_run("r")
    again = replace(run, request=repeated([run.request], 2)[1])
    assert run_from_json(run_to_json(again)) == again
    record = run_to_json(run)
    del record["request"]["series"], record["request"]["repeat"]
    assert run_from_json(record).request == run.request
