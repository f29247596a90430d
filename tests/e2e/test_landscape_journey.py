"""The landscape of plans: all in sight at once, and a click on any of 40,320 plans chooses it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FloatRect, Locator, Page

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
# Pixels: a line of the verdict; names are written 12 high, and can be read from 9 on.
LINE, SMALLEST_SCALE = 19, 9 / 12


def _title(tab: Page, name: str) -> Locator:
    """The name of the plan that is shown."""
    return tab.get_by_role("strong").filter(has_text=re.compile(f"^{re.escape(name)}$"))


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
    expect(_title(tab, name)).to_be_visible()
    expect(tab).to_have_url(re.compile("plan=S"))
    # Keys do the same: to the left is a better plan.
    landscape.focus()
    tab.keyboard.press("ArrowLeft")
    better = tip.locator("b").inner_text()
    assert better != name
    tab.keyboard.press("Enter")
    expect(_title(tab, better)).to_be_visible()


@pytest.mark.parametrize(
    ("width", "height"), [pytest.param(1440, 900, marks=pytest.mark.slow), (1280, 800)]
)
def test_verdict_canvas_and_ranking_are_in_sight(
    tab: Page, address: str, width: int, height: int
) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    lines: list[float] = []
    for sample in SAMPLES:
        tab.goto(f"{address}/plans?sample={sample}")
        verdict = tab.get_by_role("heading", name=re.compile(" wins"))
        expect(verdict).to_be_visible()
        boxes = tab.locator(".st-key-canvas-chosen .box")
        expect(boxes).not_to_have_count(0)
        settle(tab)
        said = _place(verdict)
        assert said["y"] >= 0, sample
        lines.append(said["height"] / LINE)
        ranking = _place(tab.locator("[class*=st-key-ranking-]"))
        # Few plans have fewer rows.
        assert ranking["y"] + min(ranking["height"], FIVE_ROWS) <= height, sample
        # All of the plan is in sight, and can be read.
        for place in range(boxes.count()):
            box = _place(boxes.nth(place))
            assert box["y"] + box["height"] <= height, sample
            assert box["x"] >= 0, sample
        assert _scale(tab) >= SMALLEST_SCALE, sample
    # One of the verdicts takes two lines.
    assert max(lines) > 1.5
    # A canvas that is lower folds more.
    tab.goto(f"{address}/whatif?sample=network-packets")
    expect(tab.locator(".canvas .box")).not_to_have_count(0)
    settle(tab)
    assert _scale(tab) >= SMALLEST_SCALE


def _scale(tab: Page) -> float:
    """How large the plan is drawn."""
    drawn = tab.locator(".canvas svg.plan > g").first.get_attribute("transform") or ""
    return float(drawn.partition("scale(")[2].rstrip(")"))


def _place(of: Locator) -> FloatRect:
    """Where something is drawn, when the page is not scrolled."""
    found = of.bounding_box()
    assert found is not None
    return found
