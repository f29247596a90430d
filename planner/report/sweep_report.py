"""`sweep` as a JSON document, as text for people, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import product

from planner.numbers import amount, shortened
from planner.report.plans_report import Document
from planner.report.plans_text import aligned, safe_cell
from planner.whatif.sweeps import Sweep


def sweep_document(sweep: Sweep) -> Document:
    """`sweep`: costs per plan over cells in row-major order, and which plan wins where."""
    return {
        "axes": [{"path": axis.path, "values": list(axis.values)} for axis in sweep.axes],
        "plans": list(sweep.plans),
        "cost": [list(costs) for costs in sweep.cost],
        "winner": list(sweep.winner),
        "crossovers": [
            {"at": crossing.at, "from": crossing.before, "to": crossing.after}
            for crossing in sweep.crossovers
        ],
    }


def sweep_text(sweep: Sweep) -> str:
    """One line a cell with its winner, then the crossovers."""
    rows = ([_shown(value) for value in row] for row in _sweep_rows(sweep))
    lines = list(aligned(rows))
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
