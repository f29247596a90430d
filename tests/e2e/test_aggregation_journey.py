"""A journey with an aggregation: from its card over its plans to one answer of two of them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PATIENCE_MS, click, expect, section, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def test_from_an_aggregation_to_the_same_groups(page: Page) -> None:
    click(page.locator(".st-key-open-network-packets button"))
    expect(
        page.get_by_text(re.compile(" before the join wins: .* cheaper than .*, because"))
    ).to_be_visible()
    pictures = page.get_by_test_id("stGraphVizChart")
    expect(pictures).to_have_count(4)
    early = page.get_by_role("figure", name="EAP-11: aggregates b, c before the join")
    expect(early).to_contain_text("γ c.source")

    click(page.locator(".st-key-choose-EAP-10 button"))
    settle(page)
    expect(page.locator(".st-key-choose-EAP-10")).to_contain_text("Shown above")
    click(page.get_by_text("Early aggregations", exact=True))
    expect(page.get_by_text(re.compile("^Rule 1: c.source of GROUP BY"))).to_be_visible()

    click(page.get_by_role("button", name="Run best and baseline on Spark"))
    agreed = page.get_by_text("Both plans gave the same 20 groups")
    expect(agreed).to_be_visible(timeout=PATIENCE_MS)
    expect(
        page.get_by_text(re.compile(r"operations per second of stream, predicted within [\d.]+%"))
    ).to_be_visible()
    section(page, "By query and answer")
    expect(page.get_by_text("20 groups", exact=True)).to_be_visible()
    click(page.get_by_text("Changes", exact=True))
    expect(page.get_by_text(re.compile("changes, newest first"))).to_be_visible()
