"""What is carried away comes back: figures, a view as link and file, and a report used offline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from pages.parts.report import report
from tests.e2e.conftest import click, expect, settle
from tests.runtime.run_records import a_run

pytestmark = pytest.mark.e2e

PLAN = "S2,S1,S3,S4"
TREE = f"Right-deep join tree: {PLAN.replace(',', ' joined with ')}"


def _saved(page: Page, name: str, folder: Path) -> bytes:
    with page.expect_download() as saved:
        page.get_by_role("button", name=name).click(force=True)
    file = folder / saved.value.suggested_filename
    saved.value.save_as(file)
    return file.read_bytes()


def test_export_and_reimport(tab: Page, address: str, tmp_path: Path) -> None:
    page = tab
    page.goto(f"{address}/plans?sample=golab-table-5&plan={PLAN}&baseline=S4,S3,S2,S1")
    click(page.get_by_text("Join tree", exact=True))
    expect(page.get_by_role("figure", name=TREE)).to_be_visible()
    settle(page)

    # A picture and a chart, in both formats.
    page.get_by_test_id("stGraphVizChart").hover()
    assert b"<svg" in _saved(page, "Download picture as an SVG", tmp_path)
    assert _saved(page, "Download picture as a PNG", tmp_path).startswith(b"\x89PNG")
    click(page.get_by_text("Cost by operator", exact=True))
    page.locator(".js-plotly-plot").hover()
    saved = _saved(page, "Download plot as an SVG", tmp_path).decode()
    # Letters that were measured in a font of the page are drawn in another.
    assert re.search(r"<text[^>]*legendtext[^>]*font-family: sans-serif", saved)
    assert _saved(page, "Download plot as a PNG", tmp_path).startswith(b"\x89PNG")
    names = {file.name for file in tmp_path.iterdir()}
    assert any(name.startswith("sluice-right-deep-join-tree-s2-joined-with-s1-") for name in names)
    assert len(names) == 4

    click(page.get_by_role("button", name="Share"))
    expect(page.get_by_test_id("stCode")).to_contain_text("sample=golab-table-5")
    _saved(page, "View as a file", tmp_path)
    (view,) = tmp_path.glob("*-view.json")

    page.goto(address)
    page.locator(".st-key-workload-file input[type=file]").set_input_files(view)
    expect(page.get_by_role("strong").filter(has_text="S2 first, then S1, S3, S4")).to_be_visible()
    assert "/plans" in page.url


def test_a_report_is_drawn_without_a_network(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(report([a_run("r1")]), encoding="utf-8")
    alone = browser.new_context(offline=True)
    tab = alone.new_page()
    asked: list[str] = []
    faults: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    tab.goto(file.as_uri())
    expect(tab.locator(".js-plotly-plot:has(.main-svg)")).to_have_count(3)
    expect(tab.locator("figure.wide svg")).to_be_visible()
    assert asked == [file.as_uri()]
    assert faults == []
    alone.close()
