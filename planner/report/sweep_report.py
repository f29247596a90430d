"""`sweep` as a JSON document, as text for people, and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from itertools import product

from planner.numbers import amount, shortened
from planner.report.plans_report import Document
from planner.report.plans_text import aligned, safe_cell
from planner.whatif.diagrams.plan_diagrams import PlanDiagram
from planner.whatif.diagrams.regret import reduced, regrets
from planner.whatif.sweeps import Sweep


def sweep_document(sweep: Sweep) -> Document:
    """`sweep`: costs per plan over cells in row-major order, and which plan wins where."""
    document: Document = {
        "axes": [{"path": axis.path, "values": list(axis.values)} for axis in sweep.axes],
        "plans": list(sweep.plans),
        "cost": [list(costs) for costs in sweep.cost],
        "winner": list(sweep.winner),
        "crossovers": [
            {"at": crossing.at, "from": crossing.before, "to": crossing.after}
            for crossing in sweep.crossovers
        ],
        "rank_by": sweep.by.name,
        "unit": sweep.by.unit,
        "distinct_winners": len(set(sweep.winner)),
    }
    if sweep.diagram is not None:
        document |= _diagram(sweep.diagram)
    return document


REDUCED_WITHIN = 0.2


def _diagram(found: PlanDiagram) -> Document:
    few = reduced(found, REDUCED_WITHIN)
    return {
        "method": found.method,
        "cells_planned": found.planned,
        "best": found.score.tolist(),
        "second": [value if math.isfinite(value) else None for value in found.second.tolist()],
        "regret": [
            {
                "plan": r.plan,
                "worst": _finite(r.worst),
                "mean": _finite(r.mean),
                "cells": r.cells_won,
            }
            for r in regrets(found)
        ],
        "reduced": {
            "within": REDUCED_WITHIN,
            "plans": list(few.plans),
            "winner": [few.plans[place] for place in few.winner.tolist()],
            "worst": _finite(few.worst),
        },
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def sweep_text(sweep: Sweep) -> str:
    """One line a cell with its winner, then the crossovers."""
    rows = ([_shown(value) for value in row] for row in _sweep_rows(sweep))
    lines = list(aligned(rows))
    lines.extend(
        f"{shortened(sweep.axes[0].path)} = {amount(crossing.at)}: "
        f"{crossing.after} overtakes {crossing.before}"
        for crossing in sweep.crossovers
    )
    if sweep.diagram is not None:
        lines += ["", *_summary(sweep.diagram)]
    return "\n".join(lines)


def _summary(found: PlanDiagram) -> Iterator[str]:
    """How many plans win, what staying with one costs, and how few would do."""
    safest, few = regrets(found)[0], reduced(found, REDUCED_WITHIN)
    yield f"{len(found.winners):,} plans win somewhere ({found.method})"
    yield (
        f"{shortened(safest.plan)} everywhere: {amount(safest.worst)}x the best at worst, "
        f"{amount(safest.mean)}x on average"
    )
    named = ", ".join(map(shortened, few.plans))
    near = f"within {REDUCED_WITHIN:.0%} of the best everywhere"
    yield f"{len(few.plans):,} of them suffice to be {near}: {named}"


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
