"""The made-up family on the pages: what is best when highest wins, is run and laid over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.parts.families import registry as views
from pages.parts.families.protocol import FamilyView
from pages.parts.shared import links
from planner.families import registry as families
from tests.pages.helpers import all_done, fresh_app, section, table_with, texts
from tests.test_new_family import WORKLOAD
from tests.thinning import Thinning


@pytest.fixture
def thinned(monkeypatch: pytest.MonkeyPatch, spark: object) -> Iterator[AppTest]:  # noqa: ARG001
    """The app with the family registered, and a workload that only it plans."""
    monkeypatch.setattr(families, "FAMILIES", (*families.FAMILIES, Thinning()))
    monkeypatch.setitem(views._views(), "thinning", FamilyView())
    st.cache_resource.clear()
    yield fresh_app(workload=links.packed(WORKLOAD)).run()
    st.cache_resource.clear()


def test_every_page_shows_it(thinned: AppTest) -> None:
    for page in ("start", "workload", "plans", "run", "results", "calibration", "papers"):
        thinned.switch_page(f"pages/{page}.py").run()
        assert not thinned.exception, page
    thinned.switch_page("pages/plans.py").run()
    assert "HALF wins" in texts(thinned)
    assert list(table_with(thinned, "Rank")["Label"])[:3] == ["ALL", "HALF", "FIFTH"]


def test_what_was_measured_is_laid_over_what_was_predicted(thinned: AppTest) -> None:
    thinned.switch_page("pages/run.py").run()
    next(b for b in thinned.button if b.label == "Run on Spark").click().run()
    all_done()
    thinned.switch_page("pages/results.py").run()
    assert not thinned.exception
    assert "HALF" in texts(thinned)
    assert not section(thinned, "By operator").error
