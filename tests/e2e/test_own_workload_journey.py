"""Journeys of one's own: a workload from nothing, and three dropped files up to their results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import PATIENCE_MS, click, expect, go_to, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]


def _add_stream(page: Page, name: str, rate: str) -> None:
    settle(page)
    page.get_by_label("Stream", exact=True).fill(name)
    page.get_by_label("Tuples per second").fill(rate)
    click(page.get_by_role("button", name="Add stream"))


def _expect_query(page: Page, text: str) -> None:
    """Wait until the query has this text. While one box replaces another, there are two."""
    page.wait_for_function(
        "text => [...document.querySelectorAll('textarea[aria-label=Q1]')]"
        ".some((box) => box.value.includes(text))",
        arg=text,
    )


def _run_to_results(page: Page) -> None:
    """Run from Plans, and wait for Results: the run leads there by itself."""
    click(page.get_by_role("button", name=re.compile("^Run best and .* on Spark")).first)
    agreed = page.get_by_text(re.compile(r"Both plans gave the same [\d,]+ results"))
    expect(agreed).to_be_visible(timeout=PATIENCE_MS)


def test_from_nothing_to_results(page: Page) -> None:
    click(page.get_by_role("button", name="New workload"))
    expect(page.get_by_text("Add a stream: its name")).to_be_visible()
    _add_stream(page, "orders", "10")
    expect(page.get_by_text("Add a second stream to join orders with")).to_be_visible()
    _add_stream(page, "payments", "2")
    _expect_query(page, "WHERE orders.key = payments.key")
    # The text is coloured behind its box.
    expect(page.locator(".sluice-behind .keyword").first).to_have_text("SELECT")

    click(page.get_by_text("Add a stream", exact=True))
    _add_stream(page, "refunds", "1")
    _expect_query(page, "payments.key = refunds.key")
    go_to(page, "Plans")
    expect(page.get_by_text(re.compile(r"wins: .* comparisons per second"))).to_be_visible()
    settle(page)
    # One press goes back one page.
    page.go_back()
    expect(page.get_by_role("heading", name="Workload", exact=True)).to_be_visible()
    go_to(page, "Plans")
    _run_to_results(page)
    boxes = page.locator(".canvas .box")
    expect(boxes.filter(has_text="measured").first).to_be_visible()


def test_from_three_dropped_files_to_results(page: Page, tmp_path: Path) -> None:
    orders = "".join(
        f"02.03.2026 {8 + n // 600:02d}:{n // 10 % 60:02d}:{n % 10 * 6:02d};{n % 40};{n},5\n"
        for n in range(1200)
    )
    start = 1_772_438_400_000  # 2 March 2026, 8:00 UTC
    clicks = "".join(f"{start + 4000 * n},{n * 7 % 40}\n" for n in range(1800))
    customers = "".join(f'{{"customer": {n}, "country": "C{n % 5}"}}\n' for n in range(40))
    files = {
        "orders.csv": f"Ordered at;Customer;Price\n{orders}",
        "clicks.csv": f"at_ms,customer_id\n{clicks}",
        "customers.jsonl": customers,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    settle(page)
    box = page.locator(".st-key-dropped-on-start input[type=file]")
    box.set_input_files([tmp_path / name for name in files])
    expect(page.get_by_text("CSV separated by semicolons, decimal commas")).to_be_visible()
    expect(page.get_by_text("table without times")).to_be_visible()
    expect(page.get_by_test_id("stCode").filter(has_text="orders.Customer = ")).to_be_visible()
    click(page.get_by_role("button", name="See the plans"))
    expect(page.get_by_text("your files")).to_be_visible()
    _run_to_results(page)
