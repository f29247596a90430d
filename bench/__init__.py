"""Benchmarks: ratios measured side by side in one run. `python -m bench` runs them all."""

from pathlib import Path

RESULTS = Path(__file__).with_name("results.json")
