"""Figures: what can be read off them."""

from __future__ import annotations

from pages.parts.results import run_figures


def test_logarithmic_axes_have_few_round_numbers() -> None:
    figure = run_figures.all_plans([("A", 16_000, 14_400), ("B", 86_850, 80_000)], "Comparisons/s")
    assert figure.layout.xaxis.ticktext == ("5k", "10k", "20k", "50k", "100k", "200k")
    wide = run_figures.all_plans([("A", 2, 3), ("B", 5e7, 4e7)], "Comparisons/s")
    ticks = ("1", "10", "100", "1k", "10k", "100k", "1M", "10M", "100M")
    assert wide.layout.yaxis.ticktext == ticks, "no point is beyond the last one"
    close = run_figures.all_plans([("A", 4_434, 4_915), ("B", 4_900, 5_328)], "Comparisons/s")
    assert close.layout.xaxis.ticktext == ("2k", "3k", "4k", "5k", "6k", "7k", "8k", "9k")


def test_labels_of_near_points_do_not_cover_each_other() -> None:
    near = [(100.0 + place, 100.0 + place) for place in range(5)]
    places = run_figures.label_places(near, ["S1,S2,S3,S4"] * 5, 50.0, 500.0)
    assert len(set(places) - {""}) == len([place for place in places if place])
    assert "" in places, "there is no room for all of them"
    apart = run_figures.label_places([(100.0, 90.0), (1e4, 2e4)], ["A", "B"], 50.0, 5e4)
    assert apart == ["bottom right", "top left"]
