"""A run at the pace of real time, which is long enough to be interrupted."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from pages.parts.shared.links import packed
from tests.e2e.conftest import PATIENCE_MS, choose, click, expect, open_advanced


def paced_workload(seconds: int) -> str:
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


def begin(page: Page, address: str, workload: str) -> None:
    """Open the workload on the Run page, and run its first plan in real time."""
    page.goto(f"{address}/run?workload={packed(workload)}")
    ready = page.get_by_role("button", name="Run on Spark")
    expect(ready).to_be_visible(timeout=PATIENCE_MS)
    open_advanced(page)
    choose(page, "Pace", "real time")
    click(page.get_by_role("button", name="Run on Spark"))


def runs(page: Page) -> None:
    """Wait for the second micro-batch, or a later one."""
    running = page.get_by_text(re.compile(r"batch ([2-9]|\d\d) of"))
    expect(running).to_be_visible(timeout=PATIENCE_MS)
