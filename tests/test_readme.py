"""The README tells the truth: its figures are the benchmarks', its commands and links exist."""

from __future__ import annotations

import re
from pathlib import Path

from bench.evaluation import evaluation
from bench.table import table

PROJECT = Path(__file__).resolve().parent.parent
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def test_the_figures_are_those_of_the_benchmarks() -> None:
    shown = README.split("<!-- figures: python -m bench.table -->")[1]
    assert shown.split("<!-- end of figures -->")[0].strip() == table()


def test_the_figures_of_the_papers_evaluation_are_those_of_the_benchmarks() -> None:
    text = (PROJECT / "docs" / "EVALUATION.md").read_text(encoding="utf-8")
    shown = text.split("<!-- figures: python -m bench.evaluation -->")[1]
    assert shown.split("<!-- end of figures -->")[0].strip() == evaluation().strip()


def test_every_link_and_picture_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    missing = [link for link in links if "://" not in link and not (PROJECT / link).exists()]
    assert missing == []


def test_every_command_names_a_sample_that_exists() -> None:
    samples = re.findall(r"sample_data/[\w./-]+", README)
    assert samples
    assert [sample for sample in samples if not (PROJECT / sample).exists()] == []
