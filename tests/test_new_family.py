"""A family that nothing but the registries knows is planned, ranked, run, overlaid and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pages.parts.families import registry as views
from pages.parts.families.protocol import FamilyView
from planner.__main__ import main as planner
from planner.families import registry as families
from runtime.__main__ import main as runtime
from runtime.engines import registry as engines
from tests.thinning import EVERY, Thinning

WORKLOAD = """
version: 1
name: thinned
streams: [{name: A, rate: 40, arrivals: regular, attributes: {k: {distinct: 5}}}]
queries: [{name: Q, text: "SELECT * FROM A [RANGE 5]"}]
run: {seed: 3, warmup: 5, duration: 50}
"""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One line in each registry."""
    monkeypatch.setattr(families, "FAMILIES", (*families.FAMILIES, Thinning()))
    monkeypatch.setitem(engines.ENGINES, "thinning", engines.Modules("tests.thinning"))
    monkeypatch.setitem(views._views(), "thinning", FamilyView())
    yield
    engines.engine.cache_clear()


@pytest.fixture
def workload(tmp_path: Path) -> str:
    file = tmp_path / "thinned.yaml"
    file.write_text(WORKLOAD)
    return str(file)


def test_it_is_planned_and_ranked_the_highest_first(
    workload: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planner(["plans", workload, "--family", "thinning", "--all", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["families"]["thinning"]
    assert [c["label"] for c in found["candidates"]] == ["ALL", "HALF", "FIFTH"]
    assert (found["best"], found["rank_by"]) == ("HALF", "recall")
    assert [c["queries"]["Q"]["recall"] for c in found["candidates"]] == [1, 0.5, 0.2]
    for objective in ("work", "seconds", "state"):
        assert planner(["plans", workload, "--family", "thinning", "--rank", objective]) == 0


@pytest.mark.spark
@pytest.mark.parametrize(
    ("label", "way"), [("ALL", "replay"), ("HALF", "stream"), ("FIFTH", "replay")]
)
def test_it_runs_on_spark_and_is_measured_by_its_objective(
    workload: str, way: str, label: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["run", workload, "--family", "thinning", "--plan", label, "--way", way]
    assert runtime([*asked, "--results", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["results"]["Q"] == pq.read_table(tmp_path / "Q.parquet").num_rows > 0
    quality = found["queries"]["Q"]
    assert quality["measured"]["recall"] == pytest.approx(1 / EVERY[label], rel=0.01)
    assert quality["predicted"]["recall"] == 1 / EVERY[label]
    for operator in found["operators"]:
        assert operator["measured"] == pytest.approx(operator["predicted"], rel=0.03)
