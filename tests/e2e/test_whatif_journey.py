"""What-if in a browser: slide with the keyboard, pin two scenarios, open a cell of a diagram."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import click, expect, go_to

pytestmark = pytest.mark.e2e


def test_slide_compare_and_open_a_cell(page: Page) -> None:
    click(page.locator(".st-key-open-golab-table-7 button"))
    go_to(page, "What-if")
    expect(page.get_by_text("S3 first, then S1, S4, S2 wins: ")).to_be_visible()
    click(page.get_by_role("button", name="Pin", exact=True))
    expect(page.get_by_role("button", name="Show Today")).to_be_visible()

    slider = page.get_by_role("slider", name="Rate of S1 (tuples/s)")
    slider.focus()
    slider.press("ArrowLeft")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(page.get_by_text(re.compile("^Before: .* per second"))).to_be_visible()
    page.get_by_label("Name of this scenario").fill("Black Friday")
    page.get_by_label("Name of this scenario").press("Enter")
    click(page.get_by_role("button", name="Pin", exact=True))
    expect(page.get_by_role("button", name="Show Black Friday")).to_be_visible()

    click(page.get_by_text("Two numbers", exact=True))
    expect(page.get_by_text("win somewhere")).to_be_visible()
    chart = page.get_by_test_id("stPlotlyChart").filter(has_text="Best plan")
    expect(chart).to_be_visible()
    click(page.locator(".st-key-whatif-open-cell button"))
    go_to(page, "Workload")
