"""A journey with shared joins: from the card over the chain to the same answers of two plans."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PATIENCE_MS, click, expect, section, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def test_from_two_queries_to_the_same_answers(page: Page) -> None:
    click(page.locator(".st-key-open-temperature-humidity button"))
    wins = re.compile("^CPU-Opt and Mem-Opt, 2 slices wins: ")
    expect(page.get_by_text(wins)).to_be_visible()
    click(page.get_by_text("Slices to scale", exact=True))
    settle(page)
    charts = page.get_by_test_id("stPlotlyChart")
    chain = charts.filter(has_text="who holds what, for how long")
    expect(chain).to_contain_text("7,089 tuples")
    expect(chain).to_contain_text("Temperature.Value > 90")
    click(page.get_by_text("Ledger", exact=True))
    expect(page.get_by_text("Which query reads which join")).to_be_visible()
    click(page.get_by_text("Mergings", exact=True))
    settle(page)
    expect(charts.filter(has_text="Shortest path (CPU-Opt)")).to_be_visible()

    click(page.get_by_role("button", name="Run best and baseline on Spark"))
    agreed = page.get_by_text(re.compile(r"Both plans gave the same [\d,]+ results"))
    expect(agreed).to_be_visible(timeout=PATIENCE_MS)
    section(page, "By query and answer")
    expect(page.get_by_role("heading", name="By query")).to_be_visible()
    expect(page.get_by_text(re.compile("^Also held, at most in one micro-batch"))).to_be_visible()
