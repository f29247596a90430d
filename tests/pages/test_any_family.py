"""A family without a view of its own is shown on every page; pages know families by name only in
the registry of views."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.parts.families.registry import view_of
from planner.families import registry
from planner.families.join_order import JoinOrder
from planner.families.join_order.space import JoinOrders
from planner.plan.cost import UnitCosts
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.folders import PROJECT
from tests.pages.helpers import all_done, plan_canvas, section, table_with, texts

Go = Callable[[str], AppTest]


class UnseenPlans(JoinOrders):
    """Join orders as plans of another family."""

    def plans(self, labels: Iterable[str]) -> Iterator[Plan]:
        return (replace(plan, family=Unseen.name) for plan in super().plans(labels))


class Unseen(JoinOrder):
    """A family whose name no view is registered for."""

    name = "unseen"

    def space(self, workload: Workload, units: UnitCosts | None = None) -> UnseenPlans:
        return UnseenPlans(workload, units)


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch, go: Go) -> Iterator[Go]:
    """Pages with this one family; what they remember of others is not asked for."""
    monkeypatch.setattr(registry, "FAMILIES", (Unseen(),))
    st.cache_resource.clear()
    yield go
    st.cache_resource.clear()


def test_its_plans_are_ranked_drawn_and_explained(unseen: Go) -> None:
    app = unseen("plans")
    assert "S1 first, then S2, S3, S4 wins" in texts(app)
    assert table_with(app, "Rank")["Label"].iloc[0] == "S1,S2,S3,S4"
    assert "probe" in plan_canvas(app)["text"], "its operators, beside the ranking"
    sections = app.button_group(key="plan-detail")
    assert sections.options == [
        "Why it wins", "Cost by operator", "How it was searched", "Formulas",
        "Difference to baseline", "All costs",
    ]  # fmt: skip
    for part in sections.options:
        app.button_group(key="plan-detail").set_value(part).run()
        assert not app.exception


def test_it_is_edited_run_and_compared(unseen: Go) -> None:
    app = unseen("workload")
    assert "S1 first, then S2, S3, S4 wins" in texts(app)
    unseen("run")
    assert not any(box.label.startswith("Keep the answer") for box in app.checkbox)
    next(b for b in app.button if b.label == "Run on Spark").click().run()
    assert not app.exception
    all_done()
    unseen("results")
    assert "Both plans gave the same" in texts(app)
    section(app, "By operator")
    assert "Recent: " in texts(unseen("start"))


def test_only_its_own_folder_and_the_registry_know_a_family() -> None:
    known = [family.name for family in registry.FAMILIES]
    assert {type(view_of(name)) for name in known}.isdisjoint({type(view_of("unseen"))})
    classes = "|".join(type(family).__name__ for family in registry.FAMILIES)
    insides = re.compile(rf"\b(?:{'|'.join(known)}|{classes})\b")
    views = PROJECT / "pages" / "parts" / "families"
    own = (file for name in known for file in (views / name).rglob("*.py"))
    allowed = {views / "registry.py", *own}
    for file in (PROJECT / "pages").rglob("*.py"):
        if file not in allowed:
            assert not insides.findall(file.read_text()), file
