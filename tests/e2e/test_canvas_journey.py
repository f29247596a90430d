"""The plan canvas in a browser: keys, zoom, folding, pictures to save, and links to other parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from tests.e2e.conftest import click, expect, settle

pytestmark = pytest.mark.e2e

ZOOM = "svg => new DOMMatrix(getComputedStyle(svg.firstElementChild).transform).a"


def canvas_of(tab: Page, address: str, sample: str) -> Locator:
    """The canvas of the plan that Plans shows first."""
    tab.goto(f"{address}/plans?sample={sample}")
    canvas = tab.locator(".st-key-canvas-chosen .canvas")
    expect(canvas.locator(".box").first).to_be_visible()
    settle(tab)
    return canvas


def press(canvas: Locator, name: str) -> None:
    canvas.get_by_role("button", name=name, exact=True).click()


def zoom(canvas: Locator) -> float:
    """How large the plan is drawn."""
    scale: float = canvas.locator("svg.plan").evaluate(ZOOM)
    return scale


def test_it_is_zoomed_fitted_unfolded_and_worked_with_keys(tab: Page, address: str) -> None:
    canvas = canvas_of(tab, address, "golab-table-5")
    boxes = canvas.locator(".box")
    expect(boxes).to_have_count(9)
    at_first = zoom(canvas)
    press(canvas, "Zoom in")
    assert zoom(canvas) == pytest.approx(1.3 * at_first)
    press(canvas, "Zoom out")
    press(canvas, "Zoom out")
    assert zoom(canvas) == pytest.approx(at_first / 1.3)
    press(canvas, "Show the whole plan")
    assert zoom(canvas) == pytest.approx(at_first)

    # Keys: an arrow moves to the next box, Space unfolds it, Enter opens it, Escape closes it.
    boxes.filter(has_text="stream S3").focus()
    tab.keyboard.press("ArrowRight")
    focused = canvas.locator(".box:focus")
    expect(focused).to_have_attribute("aria-label", re.compile(r"arrives, 3 operators, folded"))
    name = focused.locator(".name").inner_html()
    tab.keyboard.press("Space")
    expect(boxes).to_have_count(11)
    expect(canvas.get_by_role("button", name=f"Fold {name}")).to_be_visible()
    boxes.filter(has_text="output Q1").focus()
    tab.keyboard.press("Enter")
    panel = canvas.get_by_role("dialog")
    expect(panel).to_contain_text("Rows out/s")
    tab.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    press(canvas, "Fold all branches")
    expect(boxes).to_have_count(9)
    press(canvas, "Unfold all branches")
    expect(boxes).to_have_count(25)

    press(canvas, "What colours and lines mean")
    for kind in ("source", "window", "join", "result"):
        expect(panel).to_contain_text(kind)
    press(canvas, "Show the plan as text")
    expect(panel).to_contain_text("probe origin=S1 step=1")


def test_it_is_saved_as_a_picture(tab: Page, address: str, tmp_path: Path) -> None:
    canvas = canvas_of(tab, address, "network-packets")
    for kind, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with tab.expect_download() as saved:
            article = "an" if kind == "SVG" else "a"
            press(canvas, f"Download picture as {article} {kind}")
        path = tmp_path / kind
        saved.value.save_as(path)
        assert saved.value.suggested_filename.endswith(f".{kind.lower()}")
        assert path.read_bytes().startswith(begin)
    assert "early aggregation" in (tmp_path / "SVG").read_text()


def test_what_is_pointed_at_is_shown_everywhere(tab: Page, address: str) -> None:
    canvas = canvas_of(tab, address, "golab-table-5")
    click(tab.get_by_role("radio", name="Cost by operator"))
    bars = tab.locator(".js-plotly-plot .barlayer .point")
    expect(bars).to_have_count(12)
    loops = tab.get_by_label("The plan as nested loops")
    expect(loops).to_be_visible()
    settle(tab)

    # From the canvas to bars, loops and the plans that do the same.
    press(canvas, "Unfold all branches")
    expect(canvas.locator(".box")).to_have_count(25)
    probe = canvas.locator(".box").filter(has_text="S1 probes S2")
    probe.hover()
    expect(loops.locator(".pointed")).to_have_count(1)
    expect(loops.locator(".pointed")).to_contain_text("for each tuple of S2")
    faint = "paths => paths.filter(path => path.style.opacity === '0.25').length"
    assert bars.evaluate_all(faint) == 11
    # Of the plans in the list, those that join S1 with S2 first do the same.
    alike = tab.locator(".landscape .alike")
    expect(alike).not_to_have_count(0)
    tab.mouse.move(2, 2)
    expect(loops.locator(".pointed")).to_have_count(0)
    assert bars.evaluate_all(faint) == 0
    expect(alike).to_have_count(0)

    # Back from loops, bars and the landscape.
    pointed = canvas.locator("svg.pointing .pointed")
    loops.locator(".loop").first.hover()
    expect(pointed).to_have_count(1)
    tab.mouse.move(2, 2)
    expect(pointed).to_have_count(0)
    # What Plotly listens with is above its bars.
    bars.first.hover(force=True)
    expect(pointed).to_have_count(1)
    tab.mouse.move(2, 2)
    landscape = tab.locator(".landscape")
    landscape.locator(".worst").hover()
    expect(pointed).not_to_have_count(0)
    expect(canvas.locator(".box:not(.pointed)")).not_to_have_count(0)

    # A plan that does the same is chosen in the panel of the operator.
    tab.mouse.move(2, 2)
    probe.click()
    panel = canvas.get_by_role("dialog")
    expect(panel).to_contain_text("Plans in the list that do the same")
    other = "S1 first, then S2, S4, S3"
    panel.get_by_role("button", name=f"Show {other}").click()
    expect(tab).to_have_url(re.compile("plan=S1%2CS2%2CS4%2CS3"))
    expect(tab.locator("strong").get_by_text(other, exact=True)).to_be_visible()
