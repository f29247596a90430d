"""A plan diagram as JSON, as sentences, and as CSV: who wins, by how much, regret, few plans."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from itertools import product

from planner.numbers import amount, shortened
from planner.report.about_cells import ABOUT_HEADS, about_cells
from planner.report.plans_report import Document
from planner.report.plans_text import safe_cell
from planner.whatif.cells import SURE, About
from planner.whatif.diagrams.plan_diagram import PlanDiagram
from planner.whatif.diagrams.regret import reduced, regrets, regrets_in, safest

REDUCED_WITHIN = 0.2


def diagram_document(found: PlanDiagram) -> Document:
    """Beside costs and winners: margins, regret, and how few plans suffice."""
    few = reduced(found, REDUCED_WITHIN)
    return {
        "method": found.method,
        "cells_planned": found.planned,
        "best": found.score.tolist(),
        "second": [value if math.isfinite(value) else None for value in found.second.tolist()],
        "second_is_exact": found.second_is_exact,
        "within_chance": found.doubtful,
        "standard_errors": None if found.errors is None else list(found.errors),
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


def diagram_summary(found: PlanDiagram) -> Iterator[str]:
    """How many plans win, what staying with one costs, and how few would do."""
    safe, few = safest(found), reduced(found, REDUCED_WITHIN)
    is_fitted = found.method == "simulated in some cells"
    how = f"simulated in {found.planned:,} cells, fitted in all" if is_fitted else found.method
    yield f"{wins(len(found.winners))} ({how})"
    if found.doubtful is not None:
        cells = "cells" if is_fitted else "planned cells"
        yield f"in {found.doubtful:.0%} of the {cells} the two best are too close to tell"
    if found.errors is not None:
        yield f"simulated figures are within {how_near(found.errors)}"
    yield (
        f"{shortened(safe.plan)} everywhere: {amount(safe.worst)}x the best at worst, "
        f"{amount(safe.mean)}x on average"
    )
    named = ", ".join(map(shortened, few.plans))
    count = len(few.plans)
    suffice = f"{count:,} of them {'suffices' if count == 1 else 'suffice'}"
    yield f"{suffice} to be within {REDUCED_WITHIN:.0%} of the best everywhere: {named}"


def how_near(errors: tuple[float, float]) -> str:
    """How far simulated figures are off by chance, in 95 of 100 samples.

    >>> how_near((0.02, 0.15))
    'about 4% of what they are in most cells, and 29% in the worst'
    >>> how_near((0.02, 1.4))
    'about 4% of what they are in most cells, and over 100% in the worst'
    """
    shares = (SURE * error for error in errors)
    median, worst = (f"{share:.0%}" if share <= 1 else "over 100%" for share in shares)
    return f"about {median} of what they are in most cells, and {worst} in the worst"


def wins(count: int) -> str:
    """How many plans win.

    >>> wins(1), wins(8)
    ('1 plan wins everywhere', '8 plans win somewhere')
    """
    return "1 plan wins everywhere" if count == 1 else f"{count:,} plans win somewhere"


def margin_csv(found: PlanDiagram, about: About) -> str:
    """One row a cell: the best score, the next best, and how many times worse that is."""
    of = "" if found.second_is_exact else " of the plans that win somewhere"
    rows = zip(found.score.tolist(), found.second.tolist(), found.margin.tolist(), strict=True)
    heads = ["best", f"next best{of}", "times the best"]
    return _table(
        found, about, [f"{head} ({found.by.unit})" for head in heads[:2]] + heads[2:], rows
    )


def regret_csv(found: PlanDiagram, about: About) -> str:
    """One row a cell: how many times worse than the best each plan is there."""
    rows = regrets_in(found).T.tolist()
    return _table(found, about, [f"{plan}, times the best" for plan in found.plans], rows)


def reduced_csv(found: PlanDiagram, about: About, within: float) -> str:
    """One row a cell: the plan of the reduced diagram, and how many times worse than the best."""
    few, regret = reduced(found, within), regrets_in(found)
    places = {plan: place for place, plan in enumerate(found.plans)}
    named = [few.plans[place] for place in few.winner.tolist()]
    rows = ([plan, float(regret[places[plan], at])] for at, plan in enumerate(named))
    return _table(found, about, [f"plan within {within:.0%} of the best", "times the best"], rows)


def _table(
    found: PlanDiagram, about: About, heads: Sequence[str], rows: Iterator[Sequence[str | float]]
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    paths = [axis.path for axis in found.axes]
    writer.writerow([safe_cell(head) for head in (*paths, "winner", *heads, *ABOUT_HEADS)])
    cells = product(*(axis.values for axis in found.axes))
    last = about_cells(about, found.by)
    for values, place, row in zip(cells, found.winner.tolist(), rows, strict=True):
        shown = [safe_cell(cell) if isinstance(cell, str) else cell for cell in row]
        writer.writerow([*values, safe_cell(found.plans[place]), *shown, *last])
    return out.getvalue()
