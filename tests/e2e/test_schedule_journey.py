"""A journey with a scheduled join: another objective, a run, and the delays of all policies."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENCE_MS, click, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def test_from_an_objective_to_the_delays_of_all_policies(page: Page) -> None:
    click(page.locator(".st-key-open-seven-windows button"))
    expect(page.get_by_text(re.compile("^MQT wins: queries wait "))).to_be_visible()
    settle(page)
    burst = page.get_by_test_id("stPlotlyChart").first
    expect(burst).to_contain_text("Who is scanned when")
    click(page.get_by_role("button", name="Ranked by mean delay"))
    page.get_by_text("Mean delay of the worst query (ms)", exact=True).click()
    expect(page.get_by_text(re.compile("^LWO wins: no query waits more than "))).to_be_visible()
    page.keyboard.press("Escape")

    click(page.get_by_role("button", name=re.compile("^Run best and .* on Spark$")))
    best = page.get_by_text(re.compile("has a mean delay of the worst query of [\\d.,]+ ms"))
    expect(best).to_be_visible(timeout=PATIENCE_MS)
    settle(page)
    expect(page.get_by_role("heading", name="Response times")).to_be_visible()
    charts = page.get_by_test_id("stPlotlyChart")
    policies = charts.filter(has_text="All policies on the arrivals of this run, measured")
    for policy in ("LWO", "SWF", "MQT", "FAIR", "OUT", "By itself"):
        expect(policies).to_contain_text(policy)
    expect(page.get_by_text("(a) Clock of work.")).to_be_visible()
