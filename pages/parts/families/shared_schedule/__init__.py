"""How schedules of a shared join are shown: a burst as it is served, delays, the matrix, clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from pages.parts.families.protocol import FamilyView, PlanChoice, Sections
from pages.parts.families.shared_schedule import matrix, response_times, what_if
from pages.parts.plans import drawings
from pages.parts.plans.ranking_table import plan_heading
from runtime.runs.records import Run


class SharedScheduleView(FamilyView):
    """Policies: the chosen one beside the baseline, on the same arrivals."""

    ranks_at_once = True

    def above_ranking(self, choice: PlanChoice, choose: Callable[[str], None]) -> None:  # noqa: ARG002
        """A burst under the chosen policy, and the delays under all."""
        plan_heading(choice)
        what_if.show(choice)

    def beside_ranking(self, choice: PlanChoice) -> None:
        """The operators of the chosen plan: its name is above."""
        drawings.operators(*choice.priced, key="chosen")

    def details(self, choice: PlanChoice, common: Sections) -> Sections:
        """First the matrix by which MQT decides."""
        own: Sections = {"Matrix": partial(matrix.show, choice)}
        return own | common

    def run_results(self, run: Run) -> None:
        """How long queries waited, under all policies, and on which clock."""
        response_times.show(run)

    def report_tables(self, run: Run) -> Mapping[str, pd.DataFrame]:
        """The same as tables of queries by policies."""
        return response_times.report_tables(run)
