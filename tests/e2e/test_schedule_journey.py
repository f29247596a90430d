"""A journey with a scheduled join: another objective, a run, and the delays of all policies."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from pages.parts.shared.links import packed
from tests.e2e.conftest import PATIENCE_MS, click, expect, section, settle

pytestmark = [pytest.mark.e2e, pytest.mark.spark]

# The sample "Seven windows" with a tenth of its long windows, and so of its tuples.
_WINDOWS = (1, 5, 15, 30, 51, 57, 60)
_QUERIES = "".join(
    f"""
  - {{name: Q{n}, text: "SELECT * FROM A [RANGE {w}], B [RANGE {w}] WHERE A.k = B.k"}}"""
    for n, w in enumerate(_WINDOWS, 1)
)
_WORKLOAD = f"""
version: 1
name: Seven short windows
streams:
  - {{name: A, rate: 100, attributes: {{k: {{distinct: 50}}}}}}
  - {{name: B, rate: 100, attributes: {{k: {{distinct: 50}}}}}}
queries: {_QUERIES}
execution: {{join: hash, utilisation: 0.9, unit_costs: {{compare: 1.0e-6, output: 1.0e-6}}}}
run: {{seed: 7, duration: 30}}
"""


def test_from_an_objective_to_the_delays_of_all_policies(tab: Page, address: str) -> None:
    page = tab
    page.goto(f"{address}/plans?workload={packed(_WORKLOAD)}")
    expect(page.get_by_text(re.compile("\\(MQT\\) wins: queries wait "))).to_be_visible()
    settle(page)
    charts = page.get_by_test_id("stPlotlyChart")
    expect(charts.filter(has_text="Who is scanned when")).to_be_visible()
    click(page.get_by_role("combobox", name="Which delay"))
    page.get_by_text("Mean delay of the worst query (ms)", exact=True).click()
    expect(
        page.get_by_text(re.compile("\\(LWO\\) wins: no query waits more than "))
    ).to_be_visible()

    click(page.get_by_role("button", name=re.compile("^Run best and .* on Spark$")))
    best = page.get_by_text(re.compile("has a mean delay of the worst query of [\\d.,]+ ms"))
    expect(best).to_be_visible(timeout=PATIENCE_MS)
    section(page, "By query and answer")
    expect(page.get_by_role("heading", name="Response times")).to_be_visible()
    policies = charts.filter(has_text="All policies on the arrivals of this run, measured")
    for policy in ("LWO", "SWF", "MQT", "FAIR", "OUT", "By itself"):
        expect(policies).to_contain_text(policy)
    expect(page.get_by_text("(a) Clock of work.")).to_be_visible()
