"""Two whole journeys: a newcomer's first minute, and a mistake that is mended."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PATIENCE_MS, click, expect, go_to, open_operator, section, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def test_from_a_card_to_predicted_beside_measured(page: Page) -> None:
    click(page.locator(".st-key-open-golab-table-7 button"))
    expect(page.get_by_text("S3 first, then S1, S4, S2 wins: ")).to_be_visible()

    click(page.get_by_text("Operators", exact=True))
    open_operator(page, "Comparisons/s =")

    click(page.get_by_role("button", name="Run best and baseline on Spark"))
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()

    # Nothing more to click: the run leads to its results by itself.
    agreed = page.get_by_text(re.compile(r"Both plans gave the same [\d,]+ results"))
    expect(agreed).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text(re.compile("predicted within [\\d.]+% "))).to_be_visible()
    expect(page.get_by_text(re.compile(r"Trust the model.*Kendall's tau"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"Spark's own overhead is [\d.]+% of"))).to_be_visible()
    charts = page.get_by_test_id("stPlotlyChart")
    expect(charts.filter(has_text="predicted against measured")).to_be_visible()
    section(page, "By operator")
    expect(charts.filter(has_text="predicted beside measured")).to_be_visible()

    open_operator(page, "measured", "≈")

    section(page, "Difference")
    click(page.get_by_text("Picture", exact=True))
    alone = page.locator("svg.plan").filter(has_text="only in this plan")
    expect(alone).to_have_count(2)


def test_a_mistake_is_pointed_at_and_a_run_is_cancelled(page: Page) -> None:
    click(page.locator(".st-key-open-golab-table-5 button"))
    expect(
        page.get_by_text("S1 first, then S2, S3, S4 wins: 16,000 comparisons per second of stream")
    ).to_be_visible()

    go_to(page, "Workload")
    box = page.get_by_label("Q1", exact=True)
    expect(box).to_have_value(re.compile(re.escape("S3 [RANGE 200]")))
    settle(page)
    text = box.input_value()
    box.fill(text.replace("S3 [RANGE 200]", "S3 [RANGE"))
    box.press("Control+Enter")
    expect(page.get_by_text("Not saved: fix 1 error")).to_be_visible()
    caret = page.get_by_test_id("stCode").filter(has_text="^")
    expect(caret).not_to_have_count(0)
    settle(page)
    expect(box).to_have_value(re.compile(re.escape("S3 [RANGE,")))

    box.fill(text.replace("S3 [RANGE 200]", "S3 [RANGE 100]"))
    box.press("Control+Enter")
    expect(page.get_by_text("Not saved: fix 1 error")).to_be_hidden()

    go_to(page, "Plans")
    expect(page.get_by_text(re.compile(r"wins: (?!16,000)[\d,.]+ comparisons per"))).to_be_visible()

    click(page.get_by_role("button", name=re.compile("^Run best and")))
    click(page.get_by_role("button", name="Cancel"))
    expect(page.get_by_text("was cancelled")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_role("button", name="Run on Spark")).to_be_enabled()
