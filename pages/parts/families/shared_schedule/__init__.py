"""How schedules of a shared join are shown: a burst as it is served, delays, the matrix, clocks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from pages.parts.families.protocol import FamilyView, PlanChoice, Sections
from pages.parts.families.shared_schedule import matrix, response_times, what_if
from runtime.runs.records import Run


class SharedScheduleView(FamilyView):
    """Policies: the chosen one beside the baseline, on the same arrivals."""

    def details(self, choice: PlanChoice, common: Sections) -> Sections:
        """First a burst as it is served with the delays, and the matrix by which MQT decides."""
        own: Sections = {
            "Burst and delays": partial(what_if.show, choice),
            "Matrix": partial(matrix.show, choice),
        }
        return own | common

    def run_results(self, run: Run) -> None:
        """How long queries waited, under all policies, and on which clock."""
        response_times.show(run)

    def report_tables(self, run: Run) -> Mapping[str, pd.DataFrame]:
        """The same as tables of queries by policies."""
        return response_times.report_tables(run)
