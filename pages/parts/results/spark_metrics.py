"""Spark's own metrics for a run on its own operators: rows and state of each join."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts.shared import controls
from pages.parts.shared.formatting import plain, seconds_text
from runtime.runs.records import Run

_MOST_PHASES = 4


def show(run: Run) -> None:
    """The table, and the phases of micro-batches; nothing for a run on the kernels."""
    metrics = run.measurement.spark if run.measurement else {}
    if not metrics:
        return
    st.markdown("### Spark's own metrics", anchors=False)
    controls.table(
        joins(metrics["joins"]),
        "Joins on Spark's own operators, with Spark's counts",
        columns="spark-joins",
    )
    st.caption(plain(_phases(metrics["phases_ms"]), 500))


def joins(found: list[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per join. What Spark does not count is empty."""
    return pd.DataFrame(
        {
            "Join": [join["join"] for join in found],
            "Rows found": [join["rows"] for join in found],
            "Rows out/s": [join["rows_out"] for join in found],
            "State rows": [join["state_rows"] for join in found],
            "State, MB": [_scaled(join["state_bytes"], 2**20) for join in found],
            "Late": [join["rows_dropped_as_late"] for join in found],
            "Update s": [_scaled(join["update_ms"], 1000) for join in found],
            "Remove s": [_scaled(join["remove_ms"], 1000) for join in found],
        }
    )


def _scaled(value: float | None, by: float) -> float | None:
    return None if value is None else value / by


def _phases(ms: Mapping[str, int]) -> str:
    """The longest phases of the micro-batches, in Spark's names for them."""
    comparisons = "Spark's own operators do not count comparisons."
    phases = sorted(((n, v) for n, v in ms.items() if n != "triggerExecution"), key=lambda p: -p[1])
    if not phases:
        return f"A batch job keeps no state. {comparisons}"
    longest = ", ".join(f"{name} {seconds_text(v / 1000)}" for name, v in phases[:_MOST_PHASES])
    return f"Time in micro-batches by phase: {longest}. {comparisons}"
