"""A journey with too little memory: what it costs, a run, and what was shed when and why."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PATIENCE_MS, click, expect, section, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def test_from_a_memory_bound_to_what_was_shed(page: Page) -> None:
    click(page.locator(".st-key-open-suspicious-payments button"))
    expect(page.get_by_text(re.compile("\\(OSSJ\\) wins: importance [\\d,]+"))).to_be_visible()
    charts = page.get_by_test_id("stPlotlyChart")
    frontier = charts.filter(has_text="Share of the importance that is found, by memory")
    expect(frontier).to_be_visible()
    settle(page)
    memory = page.get_by_label("Memory (tuples)", exact=True)
    memory.fill("100")
    memory.press("Enter")
    expect(frontier).to_contain_text("memory now: 100")

    click(page.get_by_role("button", name="Run best and baseline on Spark"))
    subset = page.get_by_text(
        re.compile("EXACT.* gave all [\\d,]+ results; a subset of them.*OSSJ")
    )
    expect(subset).to_be_visible(timeout=PATIENCE_MS)
    section(page, "By query and answer")
    for title in ("What was shed when", "Which keys of p suffered"):
        expect(charts.filter(has_text=title)).to_be_visible()
