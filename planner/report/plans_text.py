"""The planner's documents printed for people, and a sweep as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from planner.numbers import amount, shortened
from planner.report.plans_report import Document

# A spreadsheet would run a cell that begins with one of these as a formula.
_FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")


def plans_text(document: Document) -> str:
    """Every family's answer and its candidates as a table."""
    lines = [document["workload"]["name"]]
    for name, family in document["families"].items():
        lines.append("")
        if family["refused"] is not None:
            lines.append(f"{name} does not apply: {family['refused']}.")
            continue
        lines.append(f"{name}: {family['answer']}")
        if family["disagreement"]:
            lines.append(family["disagreement"])
        lines.append("")
        scores, unit = family.get("scores", {}), family.get("unit", "")
        lines.extend(aligned(_candidate_rows(family["candidates"], scores, unit)))
        lines.append(_footing(family))
        lines.extend(family["notes"])
        if family["models"]:
            lines.append(f"Comparisons by the model: {' / '.join(family['models'])}.")
        lines.append(f"Seconds of kernels per second of stream time: {family['units']}.")
    return "\n".join(lines)


def _candidate_rows(
    candidates: Sequence[Document], scores: Mapping[str, float], unit: str
) -> Iterator[Sequence[str]]:
    columns = {"comparisons": "comparisons/s", "state_tuples": "state tuples", "rows_out": "rows/s"}
    if any(candidate["cost"]["group_updates"] for candidate in candidates):
        columns = {"comparisons": "comparisons/s", "group_updates": "group updates/s"} | columns
    score = [unit] if scores else []
    yield "plan", *score, *columns.values(), "seconds", ""
    for candidate in candidates:
        cost, seconds = candidate["cost"], candidate["seconds"]
        figures = [amount(cost[name]) for name in columns]
        spent = "-" if seconds is None else amount(seconds)
        score = [amount(scores[candidate["label"]])] if scores else []
        yield candidate["label"], *score, *figures, spent, ", ".join(candidate["tags"])


def _footing(family: Document) -> str:
    listed, considered = len(family["candidates"]), family["considered"]
    more = "; --all lists more" if listed < considered and not family["truncated"] else ""
    if family["truncated"]:
        more = "; there are more than can be listed"
    return f"{listed:,} of {considered:,} plans listed, by {family['rank_by']}{more}."


def safe_cell(text: str) -> str:
    """The text as a CSV cell that no spreadsheet takes for a formula.

    >>> safe_cell("=1+1"), safe_cell("S1,S2")
    ("'=1+1", 'S1,S2')
    """
    return f"'{text}" if text.startswith(_FORMULA_MARKS) else text


def aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows in columns, the first to the left, the others to the right."""
    cells = [[shortened(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        first, *figures = row
        padded = [cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *padded]).rstrip()
