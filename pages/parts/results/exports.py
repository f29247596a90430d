"""Results to take away: CSV that no spreadsheet takes for formulas, and the commands' JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from pages.parts.results.comparison import RECOMPUTATIONS, by_operator
from planner.plan.cost import COST_FIELDS, q_error
from planner.report.plans_text import safe_cell

if TYPE_CHECKING:
    import pyarrow as pa

    from runtime.runs.records import Run


def to_csv(runs: Sequence[Run]) -> str:
    """One line for each run, operator and kind of work."""
    rows = [
        (
            safe_cell(run.plan.label),
            run.id,
            run.request.way,
            safe_cell(name),
            field,
            p,
            m,
            q_error(p, m),
        )
        for run in runs
        for field in (*COST_FIELDS, RECOMPUTATIONS)
        for name, p, m in by_operator(run, field)
    ]
    columns = ["plan", "run", "way", "operator", "field", "predicted", "measured", "q_error"]
    return pd.DataFrame(rows, columns=columns).to_csv(index=False)


def table_to_csv(table: pa.Table) -> str:
    """A table with its texts, the names of its columns among them, made safe."""
    frame = table.to_pandas()
    texts = frame.select_dtypes(include=["object", "string"]).columns
    for name in texts:
        frame[name] = frame[name].map(safe_cell, na_action="ignore")
    return frame.rename(columns=safe_cell).to_csv(index=False)


def to_json(runs: Sequence[Run]) -> str:
    """The documents that `python -m runtime run --json` prints, in a list."""
    from runtime.runs.run_json import run_document

    return json.dumps([run_document(run) for run in runs], indent=2, allow_nan=False)
