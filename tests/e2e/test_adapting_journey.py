"""A journey through a run that adapts: a burst, the switch of the plan, and what that saved."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PATIENCE_MS, click, expect

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def test_from_a_burst_to_what_switching_saved(tab: Page, address: str) -> None:
    tab.goto(f"{address}/plans?sample=bursting-links")
    click(tab.get_by_role("button", name=re.compile("^Run best and .* on Spark")))
    switched = tab.get_by_text(re.compile(r"The plan was switched 2 times"))
    expect(switched).to_be_visible(timeout=PATIENCE_MS)
    expect(
        tab.get_by_text(re.compile(r"At 120 s to .*: A has 1\d\d tuples/s, not 4; "))
    ).to_be_visible()
    charts = tab.get_by_test_id("stPlotlyChart")
    for title in ("Plans over time", "Work over time", "Rates over time"):
        expect(charts.filter(has_text=title)).to_be_visible(timeout=PATIENCE_MS)
    saved = tab.get_by_text(re.compile(r"The best plan that stays .* did [\d,]+, [\d.]+(%|x) more"))
    expect(saved).to_be_visible()
