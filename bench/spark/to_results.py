"""From a click in a warm explorer to the results of two plans, beside what the two runs took.

A real browser opens a sample that the explorer has warmed up for, and presses the button that runs
two plans. The runs' own seconds are those of their records.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import Page, expect

from bench.served_app import open_browser, served
from bench.sessions import PATIENCE_MS
from runtime.runs.history import History

ROUNDS = 3
SAMPLE = "golab-table-5"
_SAME = re.compile(r"Both plans gave the same [\d,]+ results")
_OVERLAY = re.compile(r"predicted \(q-error")


def to_results() -> dict[str, Any]:
    """Seconds from the click until both plans are drawn with what was measured; medians."""
    with tempfile.TemporaryDirectory() as name, served("serve.py", Path(name)) as (address, _):
        waited, took = asyncio.run(_rounds(address, History(Path(name) / "history.sqlite")))
    ratios = [wait / run for wait, run in zip(waited, took, strict=True)]
    return {
        "seconds": {"from click to results": median(waited), "two runs": median(took)},
        "times the runs": median(ratios),
        "at least": min(ratios),
        "at most": max(ratios),
    }


async def _rounds(address: str, history: History) -> tuple[list[float], list[float]]:
    waited, took = [], []
    async with open_browser() as browser:
        page = await browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE_MS)
        for number in range(ROUNDS + 1):
            seconds = await _from_click_to_overlay(page, address)
            # The first starts Spark and its workers.
            if number:
                waited.append(seconds)
                runs = [run.measurement for run in history.runs()[:2]]
                took.append(sum(found.timings.total for found in runs if found))
    return waited, took


async def _from_click_to_overlay(page: Page, address: str) -> float:
    await page.goto(f"{address}/plans?sample={SAMPLE}")
    button = page.get_by_role("button", name=re.compile("^Run best and")).first
    await button.wait_for()
    app = page.get_by_test_id("stApp")
    await expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE_MS)
    begun = time.perf_counter()
    await button.click()
    await page.get_by_text(_SAME).wait_for()
    await page.get_by_text(_OVERLAY).first.wait_for()
    return time.perf_counter() - begun
