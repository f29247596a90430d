"""The landscape of plans: all in sight at once, and a click on any of 40,320 plans chooses it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import expect, settle

pytestmark = pytest.mark.e2e

# One sample of each kind of plans.
SAMPLES = (
    "golab-table-5",
    "network-packets",
    "two-hundred-alerts",
    "seven-windows",
    "suspicious-payments",
)
# The head of a table and five rows, in pixels.
FIVE_ROWS = 35 * 6


def test_a_click_on_the_landscape_of_eight_streams_chooses_a_plan(tab: Page, address: str) -> None:
    tab.goto(f"{address}/plans?sample=eight-way")
    landscape = tab.get_by_role("img", name=re.compile("^All 40,320 plans, from best to worst"))
    expect(landscape).to_be_visible()
    settle(tab)
    box = landscape.bounding_box()
    assert box is not None
    middle = {"x": box["width"] * 0.75, "y": box["height"] / 2}
    landscape.hover(position=middle)
    tip = landscape.locator(".tip")
    expect(tip).to_contain_text(re.compile(r"#[\d,]+ · [\d.,]+ comparisons/s"))
    name = tip.locator("b").inner_text()
    landscape.click(position=middle)
    expect(tab.get_by_text(name, exact=True).first).to_be_visible()
    expect(tab).to_have_url(re.compile("plan=S"))
    # Keys do the same: to the left is a better plan.
    landscape.focus()
    tab.keyboard.press("ArrowLeft")
    better = tip.locator("b").inner_text()
    assert better != name
    tab.keyboard.press("Enter")
    expect(tab.get_by_text(better, exact=True).first).to_be_visible()


@pytest.mark.parametrize(
    ("width", "height"), [pytest.param(1440, 900, marks=pytest.mark.slow), (1280, 800)]
)
def test_verdict_canvas_and_ranking_are_in_sight(
    tab: Page, address: str, width: int, height: int
) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    for sample in SAMPLES:
        tab.goto(f"{address}/plans?sample={sample}")
        expect(tab.get_by_role("heading", name=re.compile(" wins"))).to_be_visible()
        canvas = tab.locator(".st-key-canvas-chosen")
        expect(canvas).to_be_visible()
        settle(tab)
        ranking = tab.get_by_test_id("stDataFrame").first.bounding_box()
        assert ranking is not None
        assert ranking["y"] + min(ranking["height"], FIVE_ROWS) <= height, sample
        drawn = canvas.bounding_box()
        assert drawn is not None
        assert drawn["y"] + 0.5 * drawn["height"] <= height, sample
