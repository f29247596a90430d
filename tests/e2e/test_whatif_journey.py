"""What-if in a browser: slide with the keyboard, pin two scenarios, open a cell, measure five."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import click, expect, go_to

pytestmark = pytest.mark.e2e


def test_slide_compare_and_open_a_cell(page: Page) -> None:
    click(page.locator(".st-key-open-golab-table-7 button"))
    expect(page.get_by_role("heading", name=" wins: ")).to_be_visible()
    go_to(page, "What-if")
    expect(page.get_by_text("S3 first, then S1, S4, S2 wins: ")).to_be_visible()
    click(page.get_by_role("button", name="Pin", exact=True))
    expect(page.get_by_role("button", name="Show Today")).to_be_visible()

    slider = page.get_by_role("slider", name="Rate of S1 (tuples/s)")
    first = int(slider.input_value())
    slider.focus()
    for steps in (1, 2):
        # The slider keeps the focus: a second press goes on from the first.
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("slider", name="Rate of S1 (tuples/s)")).to_have_value(
            str(first - steps)
        )
        expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(page.get_by_text(re.compile("^Before: .* per second"))).to_be_visible()
    click(page.get_by_label("Name of this scenario"))
    page.get_by_label("Name of this scenario").fill("Black Friday")
    page.keyboard.press("Enter")
    click(page.get_by_role("button", name="Pin", exact=True))
    expect(page.get_by_role("button", name="Show Black Friday")).to_be_visible()

    click(page.get_by_text("Two numbers", exact=True))
    expect(page.get_by_text("win somewhere")).to_be_visible()
    chart = page.get_by_test_id("stPlotlyChart").filter(has_text="Best plan")
    expect(chart).to_be_visible()
    cell = page.locator("[class*='st-key-whatif-cell-'] [data-testid='stSliderThumbValue']").first
    before = cell.inner_text()
    box = chart.bounding_box()
    assert box is not None
    # Left of the middle, where the diagram has cells: the middle one is chosen at first.
    page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.72 * box["height"])
    expect(cell).not_to_have_text(before)
    click(page.locator(".st-key-whatif-open-cell button"))
    go_to(page, "Workload")


def test_five_cells_are_measured(page: Page) -> None:
    view = {
        "whatif-view": "Two numbers",
        "whatif-vary": "streams.S1.rate=2:20:10:log",
        "whatif-vary-2": "streams.S3.rate=1:10:10:log",
        "whatif-size": 10,
    }
    address = page.url.split("/", 3)
    page.goto(
        f"{'/'.join(address[:3])}/whatif?sample=golab-table-5&whatif={quote(json.dumps(view))}"
    )
    expect(page.get_by_text("win somewhere")).to_be_visible()
    click(page.get_by_role("button", name=re.compile("^Measure 5 cells")))
    expect(page.get_by_text("same winner in")).to_contain_text("of 5 measured cells")
