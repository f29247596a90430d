"""Aggregation plans drawn as in the paper's Figure 4: windows, early aggregations, join, answer."""

from __future__ import annotations

import re

import pytest

from planner.families.early_aggregation import EarlyAggregation
from planner.families.early_aggregation.plan_picture import aggregation_tree
from planner.workload.workload import Workload
from tests.planner.aggregations import AGGREGATION_SAMPLES, aggregation
from tests.planner.plan.test_plan_text import NASTY, well_formed

FAMILY = EarlyAggregation()


def drawn(workload: Workload, label: str) -> str:
    text = aggregation_tree(workload.queries[0], FAMILY.space(workload).plan(label))
    assert well_formed(text)
    return text


def flows(text: str) -> set[tuple[str, str]]:
    return set(re.findall(r"(\w+) -> (\w+)\n", text))


def test_an_early_aggregation_stands_between_its_window_and_the_join() -> None:
    workload = AGGREGATION_SAMPLES["packets"]
    assert flows(drawn(workload, "LAP")) == {
        ("window0", "join"),
        ("window1", "join"),
        ("join", "late"),
    }
    text = drawn(workload, "EAP-01")
    assert flows(text) == {
        ("window0", "join"),
        ("window1", "early1"),
        ("early1", "join"),
        ("join", "late"),
    }
    assert 'early1 [label="γ b.source,\\nb.destination, b.id\\ncount(*)"' in text
    assert 'late [label="γ c.source\\ncount(*)"' in text
    assert 'window0 [label="c\\nClinkPacket\\n[RANGE 3600]"' in text
    assert "b.source = c.source" in text


def test_relations_filters_and_landmarks_are_named() -> None:
    text = drawn(AGGREGATION_SAMPLES["auctions"], "EAP-001")
    assert "[LANDMARK]" in text
    assert "p\\nPerson\\nrelation\\nσ state = 'VT'" in text


def test_one_source_has_no_join() -> None:
    assert flows(drawn(AGGREGATION_SAMPLES["one source"], "LAP")) == {("window0", "late")}


def test_of_many_sources_the_aggregations_are_signs() -> None:
    names = [f"S{place}" for place in range(6)]
    streams = {name: (1.0, {"j": 5, "g": 4}) for name in names}
    joined = " AND ".join(f"S0.j = {name}.j" for name in names[1:])
    sources = ", ".join(f"{name} [RANGE 5]" for name in names)
    text = f"SELECT S0.g, COUNT(*) FROM {sources} WHERE {joined} GROUP BY S0.g"
    tree = drawn(aggregation(text, None, streams, {}), "EAP-101010")
    assert tree.count('[label="γ"') == 3
    assert "and 2 more" in tree


@pytest.mark.parametrize("name", [name for name in NASTY if name.isprintable() and len(name) < 60])
def test_no_name_acts(name: str) -> None:
    quoted = name.replace('"', '""')
    text = (
        f'SELECT "{quoted}".g, SUM("{quoted}".x) FROM S1 AS "{quoted}" [RANGE 5], S2 [RANGE 5] '
        f'WHERE "{quoted}".j = S2.j GROUP BY "{quoted}".g'
    )
    drawn(aggregation(text), "EAP-11")
