"""`sweep` as a JSON document, as text for people, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

from planner.numbers import amount, shortened
from planner.plan.objective import Objective
from planner.report.about_cells import ABOUT_HEADS, about_cells
from planner.report.diagram_report import diagram_document, diagram_summary
from planner.report.plans_report import Document
from planner.report.plans_text import aligned, safe_cell
from planner.whatif.cells import About
from planner.whatif.crossings.crossovers import Crossover
from planner.whatif.sweeps import Sweep


def sweep_document(sweep: Sweep) -> Document:
    """`sweep`: costs per plan over cells in row-major order, and which plan wins where."""
    document: Document = {
        "axes": [{"path": axis.path, "values": list(axis.values)} for axis in sweep.axes],
        "plans": list(sweep.plans),
        "cost": [list(costs) for costs in sweep.cost],
        "winner": list(sweep.winner),
        "crossovers": [_crossover(crossing) for crossing in sweep.crossovers],
        "rank_by": sweep.by.name,
        "unit": sweep.by.unit,
        "distinct_winners": len(set(sweep.winner)),
        **about_document(sweep.about),
    }
    if sweep.diagram is not None:
        document |= diagram_document(sweep.diagram)
    return document


def about_document(about: About) -> Document:
    """What was varied, and how it was priced."""
    return {
        "workload": about.workload,
        "family": about.family,
        "models": list(about.models),
        "units": about.units or None,
        "note": about.note or None,
    }


def about_text(about: About, by: Objective) -> str:
    """The same in a line: what is shown, of what, and by which model."""
    parts = [f"{by.title} of {about.workload}", about.family, f"model: {' / '.join(about.models)}"]
    if about.units:
        parts.append(f"unit costs: {about.units}")
    return "; ".join([*parts, *filter(None, [about.note])])


def _crossover(crossing: Crossover) -> Document:
    cause = crossing.cause
    return {
        "at": crossing.at,
        "from": crossing.before,
        "to": crossing.after,
        "because": None
        if cause is None
        else {"operator": cause.operator, "before": cause.before, "after": cause.after},
        "between": crossing.between,
    }


def because(crossing: Crossover) -> str:
    """The operator that makes two plans cross, with what it costs in either on both sides."""
    if (cause := crossing.cause) is None:
        return ""
    (one, other), (one_then, other_then) = cause.before, cause.after
    return (
        f"{cause.operator}: {_three(one)} and {_three(other)} before, "
        f"{_three(one_then)} and {_three(other_then)} after"
    )


def how_sure(crossing: Crossover) -> str:
    """Between which values chance decides; empty where the crossover is solved exactly."""
    if crossing.between is None:
        return ""
    low, high = sorted(crossing.between)
    return f"simulated: too close to tell from {_three(low)} to {_three(high)}"


def _three(value: float) -> str:
    return amount(float(f"{value:.3g}"))


def sweep_text(sweep: Sweep) -> str:
    """What is shown, one line a cell with its winner, then the crossovers."""
    rows = ([_shown(value) for value in row] for row in _cells(sweep))
    lines = [about_text(sweep.about, sweep.by), "", *aligned(rows)]
    lines.extend(_overtakes(sweep, crossing) for crossing in sweep.crossovers)
    if sweep.diagram is not None:
        lines += ["", *diagram_summary(sweep.diagram)]
    return "\n".join(lines)


def _overtakes(sweep: Sweep, crossing: Crossover) -> str:
    path = shortened(sweep.axes[0].path)
    said = f"{path} = {amount(crossing.at)}: {crossing.after} overtakes {crossing.before}"
    reasons = filter(None, (because(crossing), how_sure(crossing)))
    return f"{said} ({'; '.join(reasons)})" if crossing.cause or crossing.between else said


def sweep_csv(sweep: Sweep) -> str:
    """One row a cell: the values of the axes, the winner, and every plan's cost; of one axis also
    the crossovers since the row before. The last columns say what the costs are."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads, *rows = _cells(sweep)
    crossed = [*_crossed(sweep)] if len(sweep.axes) == 1 else []
    more = ["crossovers since the row before"] if crossed else []
    writer.writerow([*map(_safe, heads), *more, *ABOUT_HEADS])
    about = about_cells(sweep.about, sweep.by)
    for place, row in enumerate(rows):
        writer.writerow([*map(_safe, row), *crossed[place : place + 1], *about])
    return out.getvalue()


def _crossed(sweep: Sweep) -> Iterator[str]:
    """Of each cell the crossovers between it and the cell before it."""
    values = sweep.axes[0].values
    yield ""
    for one, other in pairwise(values):
        low, high = sorted((one, other))
        own = [c for c in sweep.crossovers if low < c.at <= high or (c.at == low == other)]
        yield "; ".join(safe_cell(f"{c.at!r}: {c.after} overtakes {c.before}") for c in own)


def _safe(value: Any) -> Any:
    return safe_cell(value) if isinstance(value, str) else value


def _cells(sweep: Sweep) -> Iterator[Sequence[str | float]]:
    yield [*(axis.path for axis in sweep.axes), "winner", *sweep.plans]
    for place, values in enumerate(product(*(axis.values for axis in sweep.axes))):
        yield [*values, sweep.winner[place], *(costs[place] for costs in sweep.cost)]


def _shown(value: str | float) -> str:
    return value if isinstance(value, str) else amount(value)
