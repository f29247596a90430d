"""Two lessons as a student takes them: step forward and back, answer, change, and present."""

from __future__ import annotations

from statistics import median
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize

from pages.parts.shared.samples import FOLDER
from tests.e2e.conftest import STEP_MS, click, expect, settle

pytestmark = pytest.mark.e2e
# A step is drawn while nobody waits; data-ms is what drawing took.
MOST_MS = 150


def test_the_join_order_is_predicted_then_watched(page: Page, address: str) -> None:
    page.goto(f"{address}/teach?lesson=join-order")
    player = page.locator(".teach")
    expect(player.locator(".where")).to_contain_text("Step 0 of 60")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(player).to_have_attribute("data-at", "2")
    drawn = player.locator(".plans").inner_text()
    page.keyboard.press("ArrowRight")
    expect(player).to_have_attribute("data-at", "3")
    page.keyboard.press("ArrowLeft")
    expect(player).to_have_attribute("data-at", "2")
    assert player.locator(".plans").inner_text() == drawn, "going back is exact"
    assert _median_ms(page, player) < MOST_MS
    player.get_by_role("slider").fill("60")
    expect(player.locator(".same")).to_contain_text("same answer so far")
    click(page.get_by_text("S2 first: the small windows first"))
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    # The choice that was clicked does not keep the arrow keys.
    page.keyboard.press("ArrowLeft")
    expect(player).to_have_attribute("data-at", "59")
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    click(page.get_by_text("S1 as slow as the others", exact=True))
    settle(page)
    expect(player.locator(".where")).to_contain_text("Step 0 of 60")


def _median_ms(page: Page, player: Locator) -> float:
    """What drawing a step takes in the middle of ten."""
    taken = []
    for at in range(3, 13):
        page.keyboard.press("ArrowRight")
        expect(player).to_have_attribute("data-at", str(at))
        taken.append(float(player.get_attribute("data-ms") or "inf"))
    return median(taken)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_step_of_every_lesson_fits_the_presenters_screen(
    browser: Browser, address: str, theme: Literal["light", "dark"]
) -> None:
    screen = ViewportSize(width=1280, height=720)
    context = browser.new_context(color_scheme=theme, viewport=screen)
    context.set_default_timeout(STEP_MS)
    page = context.new_page()
    for name in (lesson.stem for lesson in (FOLDER / "lessons").glob("*.yaml")):
        page.goto(f"{address}/teach?lesson={name}&present=1")
        player = page.locator(".teach.present")
        player.wait_for()
        settle(page)
        slider = player.get_by_role("slider")
        for at in range(1 + int(slider.get_attribute("max") or 0)):
            slider.fill(str(at))
            right, bottom = player.evaluate(
                "box => [box.getBoundingClientRect().right, box.getBoundingClientRect().bottom]"
            )
            assert right <= screen["width"], (name, at)
            assert bottom <= screen["height"], (name, at)
    context.close()


def test_the_worked_star_join_is_watched_and_presented(page: Page, address: str) -> None:
    page.goto(f"{address}/teach?lesson=star-join-memory")
    player = page.locator(".teach")
    player.get_by_role("slider").fill("6")
    expect(player.locator(".plan").filter(has_text="(OSSJ)")).to_contain_text(
        "38 of 43 importance · 11 of 15 results: recall 73.3%"
    )
    click(page.get_by_text("11 or 12"))
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    with page.expect_download() as saved:
        click(page.get_by_role("button", name="Steps as an animated SVG"))
    assert "<animateTransform" in saved.value.path().read_text()
    click(page.locator("[data-testid=stExpander] summary"))
    expect(page.get_by_text("A box is what may be stored")).to_be_visible()
    click(page.get_by_role("button", name="Present"))
    expect(page.locator(".teach.present")).to_be_visible()
    click(page.get_by_role("button", name="Question"))
    expect(page.get_by_text("Right.", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Plans")).to_be_hidden()
    click(page.get_by_role("button", name="Leave"))
    expect(page.get_by_role("link", name="Plans")).to_be_visible()
