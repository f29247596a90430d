"""Predicted beside measured: for a whole run, for its operators, and over its picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from pages.parts.families.registry import view_of
from pages.parts.shared.formatting import error_text
from pages.parts.shared.planning import time_of_run, title_of
from planner.numbers import amount, unique_names
from planner.plan.by_operator import CPU, field_of
from planner.plan.by_operator import by_operator as by_operator_of
from planner.plan.cost import COST_FIELDS, Cost, q_error
from planner.plan.objective import Objective
from planner.plan.operator_names import operator_name
from planner.workload.validation import listed
from runtime.runs.answer_groups import Answers, by_answer, must_agree, subset_of
from runtime.runs.records import Run
from runtime.runs.run_groups import (
    PlanRuns,
    Spread,
    measured_cost,
    objective_of,
    predicted_cost,
    scores,
    typical,
)

Row = tuple[str, float, float | None]
# So many digests are listed where answers differ.
MOST_DIGESTS = 4


def fields(run: Run, by: Objective | None = None) -> list[str]:
    """The kinds of work that were predicted or measured; first what runs are compared by.

    What was not measured comes last: Spark's own operators count only rows and state.
    """
    first, second = predicted_cost(run).as_dict(), (measured_cost(run) or Cost()).as_dict()
    counted = [name for name in COST_FIELDS if first[name] or second[name]]
    ranked = field_of(objective_of(run, by))
    extra = view_of(run.plan.family).extra_fields
    more = [field for field in extra if by_operator(run, field)]
    first_of_all = [ranked] if ranked and (ranked in counted or ranked not in COST_FIELDS) else []
    timed = [CPU] if _figures(run, CPU)[0] else []
    if ranked == CPU:
        first_of_all = timed
    every = dict.fromkeys([*first_of_all, *counted, *more, *timed])
    return sorted(every, key=lambda field: not _figures(run, field)[1])


def by_operator(run: Run, field: str) -> list[Row]:
    """Every operator that does this kind of work: its name, predicted and measured."""
    expected, found = _figures(run, field)
    return [
        (name, expected.get(operator_id, 0.0), found.get(operator_id))
        for name, operator_id in operator_ids(run, field).items()
    ]


def operator_ids(run: Run, field: str) -> dict[str, str]:
    """The operators that do this kind of work: their ids by their names."""
    expected, found = _figures(run, field)
    shown = [op for op in run.plan.operators() if expected.get(op.id) or found.get(op.id)]
    names = unique_names([operator_name(operator) for operator in shown])
    return {name: operator.id for name, operator in zip(names, shown, strict=True)}


def _figures(run: Run, field: str) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """This kind of work by operator, predicted and measured."""
    view = view_of(run.plan.family)
    if field in view.extra_fields:
        return view.extra_work(run, field)
    costs = run.measurement.costs if run.measurement else {}
    time = time_of_run(run) if field == CPU else None
    expected, found = (
        by_operator_of(run.plan, by_id, field, time) for by_id in (run.estimate.costs, costs)
    )
    return expected, found or _counted_by_spark(run, field)


def _counted_by_spark(run: Run, field: str) -> dict[str, float]:
    """Spark's own counts in a run on its own operators: rows and state, nothing else."""
    operators = run.measurement.spark.get("operators", {}) if run.measurement else {}
    known = {name: counted.get(field) for name, counted in operators.items()}
    return {name: float(value) for name, value in known.items() if value is not None}


def operator_table(rows: Sequence[Row]) -> pd.DataFrame:
    """Operators with both figures, the q-error as a number, and its arrow."""
    return pd.DataFrame(
        {
            "Operator": [name for name, _, _ in rows],
            "Predicted": [p for _, p, _ in rows],
            "Measured": [m for _, _, m in rows],
            "q-error": [q_error(p, m) for _, p, m in rows],
            "Prediction": [error_text(p, m) for _, p, m in rows],
        }
    )


def run_table(
    plans: Sequence[PlanRuns], runs: Mapping[str, Run], by: Objective | None = None
) -> pd.DataFrame:
    """One row per plan: its score predicted and measured, and its seconds over repeats."""
    shown = [typical(plan, runs[plan.newest.id]) for plan in plans]
    pairs = [scores(run, by) for run in shown]
    spreads = {part: [plan.spread(part) for plan in plans] for part in ("kernel", "engine")}
    clock = kernel_seconds(plans, runs)
    return pd.DataFrame(
        {
            "Plan": [run_name(run) for run in shown],
            "Predicted": [p for p, _ in pairs],
            "Measured": [m for _, m in pairs],
            "Prediction": [error_text(p, m) for p, m in pairs],
            "Kernel s": [spread and spread.median for spread in spreads["kernel"]],
            "Min to max": [_range(spread) for spread in spreads["kernel"]],
            "Kernel s, predicted": [p for _, p, _ in clock],
            "Kernel prediction": [error_text(p, m) for _, p, m in clock],
            "Engine s": [spread and spread.median for spread in spreads["engine"]],
            "Results": [_results(run) for run in shown],
            "Runs": [len(plan.repeats) for plan in plans],
            "Mode": [_mode(run) for run in shown],
            "Label": [run.plan.label for run in shown],
        }
    )


def kernel_seconds(
    plans: Sequence[PlanRuns], runs: Mapping[str, Run]
) -> list[tuple[str, float | None, float | None]]:
    """Seconds inside kernels, predicted and measured (the median of repeats), by plan."""
    found = []
    for plan in plans:
        run, spread = runs[plan.newest.id], plan.spread("kernel")
        expected = run.predicted_kernel.seconds if run.predicted_kernel else None
        found.append((run_name(run), expected, spread.median if spread else None))
    return found


def measured_points(
    rows: Sequence[tuple[str, float | None, float | None]],
) -> list[tuple[str, float, float]]:
    """The rows whose figures both exist and fit on a logarithmic axis."""
    return [(name, p, m) for name, p, m in rows if p is not None and m is not None and p > 0 < m]


def run_name(run: Run) -> str:
    """A plan, with the backend and the status of the run where they are not the usual ones."""
    marks: list[str] = [run.request.backend] if run.request.backend != "kernels" else []
    marks += [run.status] if run.status != "finished" else []
    return title_of(run) + (f" ({', '.join(marks)})" if marks else "")


def _mode(run: Run) -> str:
    return run.request.way if run.request.pace is None else f"{run.request.way}, paced"


def _range(spread: Spread | None) -> str:
    if spread is None or spread.runs < 2:
        return ""
    return f"{spread.least:.3g} to {spread.most:.3g} s"


def _results(run: Run) -> int | None:
    return sum(run.measurement.results.values()) if run.measurement else None


def same_answer(runs: Sequence[Run]) -> tuple[bool, str]:
    """Whether these runs of one workload and data gave the answers they must, and a sentence.

    Plans that keep to a bound may give a part of the answer: then the sentence says how much.
    """
    groups = must_agree(runs)
    apart = [found for group in groups if len(found := by_answer(group)) > 1]
    if apart:
        return False, _apart(apart[0])
    whole = [run for run in runs if subset_of(run) is None]
    parts = _parts(runs)
    if not parts:
        return True, _agreeing(whole)
    subsets = "; ".join(parts)
    if not whole:
        return True, f"A subset of the exact answer, as tuples were shed: {subsets}"
    given = f"{amount(_results(whole[0]) or 0)} {_called(whole[0])}"
    names = listed(sorted({title_of(run) for run in whole}))
    return True, f"{names} gave all {given}; a subset of them, as tuples were shed: {subsets}"


def _agreeing(runs: Sequence[Run]) -> str:
    plans = len({run.plan.label for run in runs})
    given = f"{amount(_results(runs[0]) or 0)} {_called(runs[0])}"
    if plans == 1:
        return f"1 plan gave {given}; run another plan to compare the answers"
    every = "Both plans" if plans == 2 else f"All {plans} plans"
    return f"{every} gave the same {given}"


def _parts(runs: Sequence[Run]) -> list[str]:
    """A text for each plan that gave a part of the answer, most of it first."""
    found = {(run.plan.label, run.partitions): run for run in runs if subset_of(run) is not None}
    several = len(found) > len({label for label, _ in found})
    texts = {}
    for (_, partitions), run in found.items():
        subset = subset_of(run)
        assert subset is not None, "only those are listed"
        text = f"{title_of(run)} {_percent(subset.results)} of the {_called(run)}"
        if subset.importance is not None:
            text += f", {_percent(subset.importance)} of the importance"
        texts[f"{text} ({partitions} partitions)" if several else text] = subset
    return sorted(texts, key=lambda text: -(texts[text].importance or texts[text].results))


def _percent(share: float) -> str:
    # What is not all must not read as all.
    return f"{min(100 * share, 99.9):.{0 if share < 0.99 else 1}f}%"


def _apart(answers: Mapping[Answers, Sequence[Run]]) -> str:
    """Who gave which answer, where they had to be the same."""
    parted = [pairs for pairs in zip(*answers, strict=True) if len({*pairs}) > 1]
    differing = {query for pairs in parted for query, _ in pairs}
    groups = "; ".join(
        f"{', '.join(sorted({title_of(run) for run in group}))}: "
        f"{_results(group[0])} {_called(group[0])}, "
        f"digest {' '.join([digest for query, digest in key if query in differing][:MOST_DIGESTS])}"
        for key, group in answers.items()
    )
    where = f" on {listed(sorted(differing))}" if len(next(iter(answers))) > 1 else ""
    return f"The plans do not agree{where}: {groups}"


def _called(run: Run) -> str:
    """What the rows of the run's answer are called."""
    # Where something is shed, the results of the join are counted, not the groups they are in.
    is_counted = run.measurement is not None and run.measurement.shed
    return "groups" if run.workload.queries[0].aggregates and not is_counted else "results"
