"""A journey that a kill of the app interrupts; behind the others, as Spark starts anew in it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from pages.parts.shared.links import packed
from tests.e2e.conftest import PATIENCE_MS, App, click, expect, go_to
from tests.e2e.paced_run import begin, paced_workload, runs

pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.xdist_group("e2e")]


def test_a_run_is_resumed_after_a_kill_of_the_app(page: Page, running_app: App) -> None:
    # Long enough for the page to show it at work, on a machine that is busy.
    workload = paced_workload(24)
    begin(page, running_app.address, workload)
    runs(page)
    running_app.kill()
    running_app.start()
    page.goto(f"{running_app.address}/run?workload={packed(workload)}")
    lost = page.get_by_text("interrupted: its process ended before it did")
    expect(lost).to_be_visible(timeout=PATIENCE_MS)
    click(page.get_by_role("button", name="Resume"))
    answer = page.get_by_text(re.compile(r"1 plan gave [\d,]+ results"))
    expect(answer).to_be_visible(timeout=PATIENCE_MS)
    go_to(page, "Run")
    expect(page.get_by_role("button", name="Run on Spark")).to_be_visible()
    expect(page.get_by_text("Interrupted runs")).to_be_hidden()
