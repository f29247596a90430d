"""`python -m planner` on an aggregation over a join: plans, explain and sweep."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.__main__ import main
from planner.files.workload_file import dump_workload
from tests.planner.aggregations import AGGREGATION_SAMPLES

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def carried_out(command: str, sample: str, *arguments: str) -> str:
        file = tmp_path / "workload.yaml"
        file.write_text(dump_workload(AGGREGATION_SAMPLES[sample]))
        assert main((command, str(file), *arguments)) == 0
        out, err = capsys.readouterr()
        assert not err
        return out

    return carried_out


def test_plans_are_listed_by_operations(run: Run) -> None:
    families = json.loads(run("plans", "default setting", "--json"))["families"]
    assert "aggregates" in families["join_order"]["refused"]
    found = families["early_aggregation"]
    assert (found["rank_by"], found["best"], found["considered"]) == ("operations", "EAP-11", 4)
    costs = [c["cost"] for c in found["candidates"]]
    operations = [c["comparisons"] + c["inserts"] + c["group_updates"] for c in costs]
    assert operations == sorted(operations)
    kinds = {o["kind"] for o in found["candidates"][0]["operators"]}
    assert kinds == {"arrive", "insert", "expire", "aggregate", "probe", "update", "output"}


def test_plans_left_out_are_listed_with_their_reason(run: Run) -> None:
    found = json.loads(run("plans", "distinct", "--json"))["families"]["early_aggregation"]
    assert [left["label"] for left in found["excluded"]] == ["EAP-10", "EAP-01", "EAP-11"]
    assert all("needs every value" in left["why"] for left in found["excluded"])


def test_a_plan_is_explained_with_its_rules_and_both_models(run: Run) -> None:
    told = run("explain", "default setting", "--plan", "best")
    assert "aggregate source=S1 group=S1.j, S1.g functions=sum(S1.x), count(*)" in told
    assert "Rule 1: S1 has S1.g" in told
    assert "by paper, Equations 5 to 22, corrected" in told
    assert "digraph" in run("explain", "default setting", "--plan", "LAP", "--dot")


def test_a_sweep_finds_where_another_plan_wins(run: Run) -> None:
    path = "streams.S1.attributes.g.distinct=10:100000:5:log"
    found = json.loads(run("sweep", "sliding", "--vary", path, "--json"))
    assert found["winner"][0] == "EAP-11"
    assert found["winner"][-1] != "EAP-11", "with a group for every tuple a set spares nothing"
    assert [(c["from"], c["to"]) for c in found["crossovers"]]
