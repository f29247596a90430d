"""The planner's documents printed for people, and a sweep as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from planner.report import Document
from planner.whatif import Sweep
from planner.wording import amount, shortened

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
        lines.append("")
        lines.extend(_table(_candidate_rows(family["candidates"])))
        lines.append(_footing(family))
    return "\n".join(lines)


def _candidate_rows(candidates: Sequence[Document]) -> Iterator[Sequence[str]]:
    yield "plan", "comparisons/s", "state tuples", "rows/s", "seconds", ""
    for candidate in candidates:
        cost, seconds = candidate["cost"], candidate["seconds"]
        figures = [amount(cost[name]) for name in ("comparisons", "state_tuples", "rows_out")]
        spent = "-" if seconds is None else amount(seconds)
        yield candidate["label"], *figures, spent, ", ".join(candidate["tags"])


def _footing(family: Document) -> str:
    listed, considered = len(family["candidates"]), family["considered"]
    more = "; --all lists more" if listed < considered and not family["truncated"] else ""
    return f"{listed:,} of {considered:,} plans listed, by {family['rank_by']}{more}."


def sweep_text(sweep: Sweep) -> str:
    """One line a cell with its winner, then the crossovers."""
    rows = ([_shown(value) for value in row] for row in _sweep_rows(sweep))
    lines = list(_table(rows))
    lines.extend(
        f"{shortened(sweep.axes[0].path)} = {amount(crossing.at)}: "
        f"{crossing.after} overtakes {crossing.before}"
        for crossing in sweep.crossovers
    )
    return "\n".join(lines)


def sweep_csv(sweep: Sweep) -> str:
    """One row a cell: the values of the axes, the winner, and every plan's cost."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in _sweep_rows(sweep):
        writer.writerow([safe_cell(v) if isinstance(v, str) else v for v in row])
    return out.getvalue()


def _sweep_rows(sweep: Sweep) -> Iterator[Sequence[str | float]]:
    yield [*(axis.path for axis in sweep.axes), "winner", *sweep.plans]
    for place, values in enumerate(product(*(axis.values for axis in sweep.axes))):
        yield [*values, sweep.winner[place], *(costs[place] for costs in sweep.cost)]


def _shown(value: str | float) -> str:
    return value if isinstance(value, str) else amount(value)


def safe_cell(text: str) -> str:
    """The text as a CSV cell that no spreadsheet takes for a formula.

    >>> safe_cell("=1+1"), safe_cell("S1,S2")
    ("'=1+1", 'S1,S2')
    """
    return f"'{text}" if text.startswith(_FORMULA_MARKS) else text


def _table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows in columns, the first to the left, the others to the right."""
    cells = [[shortened(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        first, *figures = row
        padded = [cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *padded]).rstrip()
