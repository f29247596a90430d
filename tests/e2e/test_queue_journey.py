"""A journey with two runs, asked for on two pages: both are in sight, and each has its turn."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PATIENCE_MS, click, expect, go_to
from tests.e2e.paced_run import begin, paced_workload, runs

pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.xdist_group("e2e")]


def test_two_runs_are_queued_from_two_pages(page: Page, address: str) -> None:
    # Much longer than asking for another one takes; it is cancelled before its end.
    begin(page, address, paced_workload(300))
    runs(page)
    go_to(page, "Plans")
    expect(page.get_by_text(re.compile("A run that you start now waits"))).to_be_visible()
    click(page.get_by_role("button", name=re.compile("Run best and")))

    # Both are named, and each can be cancelled by its name.
    cancel = page.get_by_role("button", name=re.compile("Cancel .* of Interrupted"))
    expect(cancel).to_have_count(2)
    expect(page.get_by_text(re.compile("one job runs at a time, 1 job waits"))).to_be_visible()
    running = page.get_by_test_id("stHorizontalBlock").filter(has_text="of 2 runs done")
    click(running.get_by_role("button", name=re.compile("Cancel .* of Interrupted")))
    agreed = page.get_by_text(re.compile(r"Both plans gave the same [\d,]+ results"))
    expect(agreed).to_be_visible(timeout=PATIENCE_MS)
