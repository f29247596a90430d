"""A journey through a run that is changed while it goes on: a query enters, another leaves."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import (
    PATIENCE_MS,
    choose,
    click,
    expect,
    go_to,
    open_advanced,
    section,
    settle,
)

# Slow: the run takes its minute, so that there is time to change it.
pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.slow]

LATE = (
    "SELECT * FROM Temperature A, Humidity B WHERE A.LocationId = B.LocationId AND B.Value > 50 "
    "WINDOW 10 MIN"
)


def test_a_query_enters_and_another_leaves_while_it_runs(page: Page) -> None:
    click(page.locator(".st-key-open-temperature-humidity button"))
    expect(page.get_by_role("heading", name=re.compile(" wins: "))).to_be_visible()
    go_to(page, "Run")
    expect(page.get_by_role("button", name="Run on Spark")).to_be_visible()
    settle(page)
    # One plan alone: the other would be run at this pace, too.
    click(page.get_by_role("button", name=re.compile("^Remove .*unshared")))
    open_advanced(page)
    choose(page, re.compile("Pace"), "over about 1 minute")
    click(page.get_by_role("button", name="Run on Spark"))

    add = page.get_by_role("button", name="Add it now")
    expect(add).to_be_visible(timeout=PATIENCE_MS)
    query = page.get_by_role("textbox", name="Query", exact=True)
    query.fill(LATE)
    query.press("Control+Enter")
    click(add)
    expect(page.get_by_text(re.compile(r"Q3 is added"))).to_be_visible(timeout=PATIENCE_MS)
    click(page.get_by_role("radio", name="Remove a query"))
    click(page.get_by_role("button", name="Remove it now"))
    expect(page.get_by_text(re.compile(r"Q1 is removed"))).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text(re.compile(r"of stream time behind"))).to_be_visible()

    answer = page.get_by_text(re.compile("1 plan gave [\\d,]+ results"))
    expect(answer).to_be_visible(timeout=PATIENCE_MS)
    section(page, "By query and answer")
    expect(page.get_by_role("heading", name="By query")).to_be_visible()
    expect(page.get_by_role("heading", name="Stages")).to_be_visible()
