"""Charts are drawn in one place, where each gets the name of the file it is saved under."""

from __future__ import annotations

import pytest

from pages.parts.shared.charts import file_name
from runtime.data.folders import PROJECT


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Comparisons/s of S1,S2: predicted", "sluice-comparisons-s-of-s1-s2-predicted"),
        ("<b>Cost</b><br>over time", "sluice-cost-over-time"),
        ("../../etc/passwd", "sluice-etc-passwd"),
        ("", "sluice"),
        ("Größe Ω", "sluice-größe-ω"),
    ],
)
def test_a_title_becomes_a_file_name(title: str, name: str) -> None:
    assert file_name(title) == name


def test_a_long_title_is_cut() -> None:
    assert len(file_name("word " * 100)) <= 80


def test_no_chart_is_drawn_elsewhere() -> None:
    files = [file for file in (PROJECT / "pages").rglob("*.py") if file.stem != "charts"]
    drawn = ("st.plotly_chart", "st.graphviz_chart")
    assert files
    assert not [file for file in files if any(call in file.read_text() for call in drawn)]
