"""The benchmark of shedding on few tuples: paired leads, and a bound above what is kept."""

from __future__ import annotations

import pytest

from bench.shedding import kernel_rates, policies
from bench.shedding.workloads import Setting
from planner.families.load_shedding.labels import ONLINE


def test_policies_beside_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "PAPER", Setting(seconds=200, lifetime=20, keys=10, rows=20))
    found = [policies._papers(seed) for seed in range(6)]
    assert all(record["same answer"] for record in found)
    little = policies._beside([record["by memory"][4] for record in found])
    means = little["importance"]
    assert means["GAIN-S"] < means["bound"] < means["OSSJ"] < means["exact"]
    assert little["best of the paper's"] in policies.THEIRS
    for lead in (little["lead"], little["lead over the best each time"]):
        assert lead["at least"] <= lead["mean"] <= lead["at most"]


def test_settings_around_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "AROUND", {"short": Setting(seconds=60), "more": Setting(60, 10)})
    monkeypatch.setattr(policies, "LONG", Setting(seconds=100))
    assert list(policies._cases("more")) == list(range(30, 60))
    by_memory = policies._around(31)
    assert set(by_memory) == {2, 8}
    assert min(by_memory[8].values()) > min(by_memory[2].values()) > 0
    flow = policies._flow_seconds(1)
    assert flow["tuples"] == 200
    assert flow["longest"] == max(flow["most importance"] + flow["most results"])


def test_rates_of_the_online_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_rates, "LONG", Setting(seconds=100))
    monkeypatch.setattr(kernel_rates, "ROUNDS", 1)
    rates = kernel_rates.kernel_rates()
    assert set(rates) == set(ONLINE)
    assert min(rates.values()) > 0
