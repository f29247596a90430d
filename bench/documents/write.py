"""Write the figures into README.md and docs/: between two markers, in each of three files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.documents.evaluation import evaluation
from bench.documents.figures import figures, headlines
from bench.summary import summary
from runtime.data.folders import PROJECT

BEGIN, END = "<!-- figures: python -m bench --docs -->\n", "\n<!-- end of figures -->"
DOCUMENTS: dict[Path, Callable[[], str]] = {
    PROJECT / "README.md": lambda: headlines(summary()),
    PROJECT / "docs" / "FIGURES.md": lambda: figures(summary()),
    PROJECT / "docs" / "EVALUATION.md": evaluation,
}


def write_documents() -> None:
    """All three, with the figures measured last."""
    for file, made in DOCUMENTS.items():
        file.write_text(with_figures(file.read_text(encoding="utf-8"), made()), encoding="utf-8")


def with_figures(text: str, made: str) -> str:
    """The text with what is between the markers replaced."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}{made}{END}{rest.split(END)[1]}"


def figures_in(text: str) -> str:
    """What is between the markers."""
    return text.split(BEGIN)[1].split(END)[0]
