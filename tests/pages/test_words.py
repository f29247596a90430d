"""Words and numbers of the pages."""

from __future__ import annotations

import re

import pytest

from pages.parts.results.run_views import closeness
from pages.parts.shared import controls
from pages.parts.shared.formatting import (
    compared,
    counted,
    error_text,
    on_pages,
    plain,
    rounded_each,
    seconds_text,
)
from runtime.data.folders import PROJECT


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        (80_400, 120_000, "▼ 33% less"),
        (120_000, 80_400, "▲ 49% more"),
        (16_000, 86_850, "▼ 5.4x less"),
        (86_850, 16_000, "▲ 5.4x more"),
        (0, 5, "▼ far less"),
        (7, 7, "= the same"),
    ],
)
def test_costs_are_compared_in_words(mine: float, theirs: float, words: str) -> None:
    assert compared(mine, theirs) == words


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("declare it, or infer it with --data", "declare it, or give your data under Workload"),
        ("or run on your own data with --data", "or give your data under Workload, Own data"),
        ("in a folder, given with --data", "in a folder, given under Workload, Own data"),
        (
            "name it with --shared DIR or SLUICE_SHARED",
            "name it when Sluice is started (docs/COMMANDS.md)",
        ),
        (
            "join_order plans it with --query Q1",
            "choose it at the top of the page to plan it alone",
        ),
        ("--master", "Spark master"),
        ("set execution.evaluate: eager", "set evaluate to eager in the workload file"),
        ("join_order: it plans one query at a time", "join order: it plans one query"),
    ],
)
def test_options_are_places_on_pages(message: str, words: str) -> None:
    assert on_pages(message).startswith(words)


def test_forms_and_tables_have_no_words_of_the_command_line() -> None:
    for path in (PROJECT / "pages").rglob("*.yaml"):
        found = re.findall(r"SLUICE_\w+|(?<![\w-])--[a-z]+|\./\w+|python -m", path.read_text())
        assert found == [], path


def test_numbers_of_a_column_have_three_digits() -> None:
    assert rounded_each([47_977.04, 155.93]) == [47_977, 156]
    assert rounded_each([1.2345, 0.5]) == [1.23, 0.5]
    assert rounded_each([0.585, 1938.3, 0.0]) == [0.585, 1938, 0.0]
    assert rounded_each([]) == []


def test_arrows_say_over_and_under() -> None:
    assert error_text(100, 50) == "2 ▲ over"
    assert error_text(50, 100) == "2 ▼ under"
    assert error_text(100, 101) == "1.01 ≈"
    assert error_text(0, 3) == "▼ under"
    assert error_text(5, None) == "not measured"


def test_markdown_is_escaped_and_long_names_are_cut() -> None:
    assert plain("a*b_[c](d)") == r"a\*b\_\[c\]\(d\)"
    assert plain("<b>:red[x]$y$") == r"\<b\>\:red\[x\]\$y\$"
    assert len(plain("x" * 5000)) <= 80
    assert "\n" not in plain("two\nlines")


def test_seconds_and_counts() -> None:
    assert [seconds_text(s) for s in (0.41, 12.4, 600, 9000, None)] == [
        "0.4 s",
        "12 s",
        "10 min",
        "2.5 h",
        "unknown",
    ]
    assert counted(1, "run") == "1 run"
    assert counted(1200, "run") == "1,200 runs"


def test_every_described_column_can_be_drawn() -> None:
    for table, columns in controls._described("columns").items():
        assert controls.described_columns(table).keys() == columns.keys()


@pytest.mark.parametrize(
    ("predicted", "measured", "words"),
    [
        (16_000, 16_000, "as predicted"),
        (16_500, 16_000, "predicted within 3.1% (text)"),
        (16_000, 24_000, "50% more than predicted (text)"),
        (40_000, 16_000, "2.5x less than predicted (text)"),
    ],
)
def test_how_near_a_prediction_was_is_said_in_words(
    predicted: float, measured: float, words: str
) -> None:
    assert closeness(predicted, measured, "text") == words
