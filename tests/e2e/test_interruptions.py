"""Journeys that are interrupted: by a reload in mid-run, by a cancel, and by a kill of the app."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pages.parts.shared.links import packed
from tests.e2e.conftest import PATIENCE_MS, App, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def _workload(seconds: int) -> str:
    """A run of so many seconds, which at the pace of real time has a micro-batch every two."""
    return f"""
version: 1
name: Interrupted
streams:
  - {{name: A, rate: 50, attributes: {{k: {{distinct: 50}}}}}}
  - {{name: B, rate: 50, attributes: {{k: {{distinct: 50}}}}}}
queries:
  - {{name: Q1, text: "SELECT * FROM A [RANGE 3], B [RANGE 3] WHERE A.k = B.k"}}
run: {{seed: 3, warmup: 1, duration: {seconds - 1}}}
"""


def _begin(page: Page, address: str, workload: str) -> None:
    """Open the workload on the Run page, and run its first plan in real time."""
    page.goto(f"{address}/run?workload={packed(workload)}")
    ready = page.get_by_role("button", name="Run on Spark")
    expect(ready).to_be_visible(timeout=PATIENCE_MS)
    settle(page)
    page.get_by_role("combobox", name="Pace").click()
    page.get_by_role("option", name="real time").click()
    settle(page)
    page.get_by_role("button", name="Run on Spark").click()


def _runs(page: Page) -> None:
    """Wait for the second micro-batch, or a later one."""
    running = page.get_by_text(re.compile(r"batch ([2-9]|\d\d) of"))
    expect(running).to_be_visible(timeout=PATIENCE_MS)


def test_a_reload_finds_the_run_and_a_cancel_keeps_its_part(page: Page, address: str) -> None:
    # Much longer than reloads take; it is cancelled before its end.
    _begin(page, address, _workload(300))
    _runs(page)
    page.reload()
    _runs(page)
    expect(page.get_by_text(re.compile("^Interrupted")).first).to_be_visible()
    picture = page.get_by_test_id("stGraphVizChart")
    expect(picture).to_contain_text(re.compile("so far: .*comparisons/s"))

    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile("had processed .* of stream time"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Run on Spark")).to_be_enabled()
    expect(page.get_by_text(re.compile("^Interrupted")).first).to_be_visible()


def test_a_run_is_resumed_after_a_kill_of_the_app(page: Page, running_app: App) -> None:
    # Long enough for the page to show it at work, on a machine that is busy.
    workload = _workload(24)
    _begin(page, running_app.address, workload)
    _runs(page)
    running_app.kill()
    running_app.start()
    page.goto(f"{running_app.address}/run?workload={packed(workload)}")
    lost = page.get_by_text("interrupted: its process ended before it did")
    expect(lost).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Resume").click()
    answer = page.get_by_text(re.compile(r"^1 plan gave [\d,]+ results"))
    expect(answer).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("link", name="Run").click()
    expect(page.get_by_role("button", name="Run on Spark")).to_be_visible()
    expect(page.get_by_text("Interrupted runs")).to_be_hidden()


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
    expect(page.get_by_text("See what every plan").first).to_be_visible()
