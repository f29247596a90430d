"""What the model alone shows, seen in a browser: index advice, changing rates, paper figures."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import click, expect, go_to

pytestmark = pytest.mark.e2e


def test_advice_rates_and_paper_figures_are_drawn(page: Page) -> None:
    click(page.locator(".st-key-open-golab-table-7 button"))
    expect(page.get_by_text("S3 first, then S1, S4, S2 wins: ")).to_be_visible()
    charts = page.get_by_test_id("stPlotlyChart")

    click(page.get_by_text("Index advice", exact=True))
    expect(charts.filter(has_text="of the best plan, by budget")).to_be_visible()

    click(page.get_by_text("Changing rates", exact=True))
    expect(charts.filter(has_text="Which plan runs when")).to_be_visible()

    go_to(page, "Papers")
    figure = charts.filter(has_text="MULTI-WAY, measured")
    expect(figure.locator(".trace path")).not_to_have_count(0)
