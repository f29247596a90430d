"""Journeys that are interrupted: by a reload in mid-run, by a cancel, and by a blank page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import click, expect, open_operator, settle
from tests.e2e.paced_run import begin, paced_workload, runs

pytestmark = pytest.mark.e2e


@pytest.mark.spark
@pytest.mark.xdist_group("e2e")
def test_a_reload_finds_the_run_and_a_cancel_keeps_its_part(page: Page, address: str) -> None:
    # Much longer than reloads take; it is cancelled before its end.
    begin(page, address, paced_workload(300))
    runs(page)
    page.reload()
    runs(page)
    expect(page.get_by_text("Interrupted", exact=True)).to_be_visible()
    expect(page.locator("svg.plan")).to_contain_text(re.compile(r"measured [\d,.]+"))
    open_operator(page, "measured")

    click(page.get_by_role("button", name="Cancel"))
    expect(page.get_by_text(re.compile("had processed .* of stream time"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Run on Spark")).to_be_enabled()
    expect(page.get_by_text("Interrupted", exact=True)).to_be_visible()


def test_a_page_that_goes_blank_is_drawn_again(page: Page) -> None:
    settle(page)
    # As if only what the router draws were left; then see the script run again.
    page.evaluate("""() => {
        window.states = [];
        const app = document.querySelector("[data-testid=stApp]");
        const seen = () => window.states.push(app.dataset.testScriptState);
        new MutationObserver(seen).observe(app, { attributes: true });
        for (const one of document.querySelectorAll("[data-testid=stElementContainer]"))
            one.classList.add("st-key-sluice-test");
    }""")
    page.wait_for_function("window.states.includes('running')")
    settle(page)
    expect(page.get_by_role("heading", name="Which plan is cheapest?")).to_be_visible()
