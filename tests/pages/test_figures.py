"""Figures: what can be read off them."""

from __future__ import annotations

from pages.parts import run_figures


def test_logarithmic_axes_have_few_round_numbers() -> None:
    figure = run_figures.all_plans([("A", 16_000, 14_400), ("B", 86_850, 80_000)], "comparisons")
    assert figure.layout.xaxis.ticktext == ("10k", "20k", "50k", "100k")
    wide = run_figures.all_plans([("A", 2, 3), ("B", 5e7, 4e7)], "comparisons")
    assert wide.layout.yaxis.ticktext == ("10", "100", "1k", "10k", "100k", "1M", "10M")
