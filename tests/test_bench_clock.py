"""`bench clock` on one setting, and what it makes of settings."""

from __future__ import annotations

import pytest

from bench.clock import choices
from bench.clock.settings import FIRST, SETTINGS
from planner.families import early_aggregation, shared_schedule
from planner.families.registry import FAMILIES
from planner.seconds.units import default_units


def test_a_setting_is_run_under_several_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "SECONDS", 0.0)
    monkeypatch.setattr(choices, "ROUNDS", 1)
    name, number = early_aggregation.NAME, FIRST + 3
    record = choices.of_setting(name, SETTINGS[name](number), number, default_units())
    assert len(record["measured"]) > 2
    assert record["regret"].keys() == {choices.CALIBRATED, choices.DEFAULTS, choices.WORK}
    assert min(record["regret"].values()) >= 1
    # The calibrated units are the default ones here.
    chosen = record["chosen by"]
    assert chosen[choices.CALIBRATED] == chosen[choices.DEFAULTS]
    assert set(chosen.values()) <= set(record["measured"])


def test_shares_and_the_worst_choice() -> None:
    def record(number: int, regret: float) -> choices.Record:
        times = {"a": 1.0, "b": regret}
        return {"number": number, "regret": {"work": regret}, "predicted": times, "measured": times}

    found = choices.summary([record(1, 1.05), record(2, 1.5), record(3, 1.0), record(4, 1.0)])
    assert found["chosen by"] == {
        "work": {"within 10% of the fastest": 0.75, "regret, worst": 1.5, "worst": 2}
    }
    assert found["q-error of seconds"]["worst"] == 1


def test_every_family_has_settings_that_it_plans() -> None:
    assert set(SETTINGS) == {known.name for known in FAMILIES}
    for known in FAMILIES:
        workload = SETTINGS[known.name](FIRST)
        assert workload == SETTINGS[known.name](FIRST)
        assert known.refuses(workload) is None
    alone = shared_schedule.NAME
    assert len(choices.contenders(FAMILY_OF[alone].space(SETTINGS[alone](FIRST)))) == 1


FAMILY_OF = {known.name: known for known in FAMILIES}
