"""How shared joins are shown: the chain to scale, its ledger, its optima, and its stages."""

from __future__ import annotations

from functools import partial

from pages.parts.families.protocol import FamilyView, PlanChoice, Sections
from pages.parts.families.sliced_chain import chain_figures, chain_text, chain_view, ledger, optima
from pages.parts.shared import charts
from pages.parts.shared.formatting import plan_name
from planner.families.sliced_chain.labels import STRATEGIES
from planner.numbers import amount
from planner.workload.workload import Workload
from runtime.runs.records import Run


class SlicedChainView(FamilyView):
    """Shared joins: the chosen plan over the age of the tuples it holds."""

    landmarks = STRATEGIES

    def pictures(self, choice: PlanChoice) -> Sections:
        """Also over the age of the tuples it holds, with slices to scale."""
        own = {"Slices to scale": partial(chain_view.show, choice.workload, choice.label)}
        return super().pictures(choice) | own

    def details(self, choice: PlanChoice, common: Sections) -> Sections:
        """First what strategies cost, the ledger and the two optima."""
        own: Sections = {
            "Work by kind": partial(chain_view.work, choice),
            "Ledger": partial(ledger.show, choice),
            "Mergings": partial(optima.mergings, choice),
            "Memory and CPU": partial(optima.trade_off, choice),
        }
        return own | common

    def cost_by_operator(self, choice: PlanChoice, field: str) -> None:
        """Comparisons by join: a plan may have thousands of operators."""
        if field == "comparisons":
            ledger.show_work(*choice.priced)
        else:
            super().cost_by_operator(choice, field)

    def running(self, workload: Workload, label: str) -> None:
        """The joins as they are now."""
        for number, picture in enumerate(chain_view.pictures(workload, label)):
            charts.show(
                chain_figures.drawn(picture, plan_name(label)),
                alt=chain_text.chain_alternative(picture),
                key=f"running-chain-{number}",
            )

    def run_note(self, run: Run) -> str:
        """What waited before slices and in unions, which is not state of a window."""
        queues = run.measurement.queues if run.measurement else {}
        if not queues:
            return ""
        return (
            "Also held, at most in one micro-batch: "
            f"{amount(queues.get('queued_tuples_max', 0))} entries in the queue of a slice (two "
            "for each tuple: one to store it, one to probe), and "
            f"{amount(queues.get('union_rows_max', 0))} rows merged by a union."
        )
