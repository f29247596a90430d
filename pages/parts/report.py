"""Runs of one workload as one self-contained HTML file, to mail, archive or print.

`python -m pages.parts.report RUN [RUN ...] --out FILE` writes it, as does the button on Results.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from pages.parts.canvas.scene import CanvasPlan
from pages.parts.canvas.still_picture import still
from pages.parts.families.registry import view_of
from pages.parts.results import comparison, run_figures, run_views
from pages.parts.results import report_html as html
from pages.parts.results.exports import to_json
from pages.parts.shared import figures
from pages.parts.shared.formatting import UNITS, error_text
from pages.parts.shared.planning import title_of
from pages.parts.start.workload_picture import colours
from planner.errors import RunError
from planner.files.workload_file import dump_workload
from planner.plan.cost import q_error
from planner.plan.objective import Objective
from planner.plan.plan_text import to_text
from planner.report.command import Parser, as_json, carry_out
from runtime.diagnosis.diagnose import diagnosed
from runtime.diagnosis.trust import trust
from runtime.runs.history import History
from runtime.runs.records import Run
from runtime.runs.run_groups import (
    PlanRuns,
    best_first,
    by_plan,
    manners,
    measured_scores,
    objective_of,
)
from runtime.runs.run_summary import summary_of
from runtime.runs.run_tuples import few_tuples_of

_WORKLOAD_FILE = "workload.yaml"
_MOST_QUERIES = 12


def report(runs: Sequence[Run], by: Objective | None = None) -> str:
    """The report of these runs; a RunError unless they are finished, of one workload and data.

    They are compared by an objective, by that of their family unless told.
    """
    _check(runs)
    first = runs[0]
    same, words = comparison.same_answer(runs)
    by_id = {run.id: run for run in runs}
    newest_first = sorted(runs, key=lambda run: -run.started)
    by = objective_of(first, by)
    plans = best_first(by_plan([summary_of(run) for run in newest_first]), by_id, by)
    rows = [by_id[plan.newest.id] for plan in plans]
    body = [
        html.heading(first.workload.name, 1),
        html.paragraph(_when(runs), "quiet"),
        html.paragraph(run_views.answer(rows, by), "answer"),
        html.paragraph(words, "same" if same else "parted"),
        html.paragraph(trust(rows, by, title_of).sentence),
        *_plans(plans, by_id, by),
        *_charts(plans, by_id, by),
        *(piece for run in rows for piece in _run(run, by)),
        html.heading("The workload"),
        *_queries(first),
        html.folded(
            f"The workload as a file ({_WORKLOAD_FILE})", html.code(dump_workload(first.workload))
        ),
        *_again(runs),
        html.data("runs", to_json(runs)),
    ]
    return html.page(f"{first.workload.name} · Sluice", body)


def _check(runs: Sequence[Run]) -> None:
    if not runs:
        raise RunError("there is no run to report on; run a plan first", "report")
    for run in runs:
        if run.status != "finished" or run.measurement is None:
            raise RunError(f"is {run.status}; a report needs finished runs", run.id)
        first = runs[0]
        if (run.workload.digest, run.data_digest) != (first.workload.digest, first.data_digest):
            raise RunError(
                f"has another workload or other data than {first.id}; report on it separately",
                run.id,
            )


def _when(runs: Sequence[Run]) -> str:
    moments = [
        datetime.fromtimestamp(run.started, UTC).strftime("%Y-%m-%d %H:%M UTC") for run in runs
    ]
    when = moments[0] if len(set(moments)) == 1 else f"{min(moments)} to {max(moments)}"
    return f"Measured by Sluice, {when}. {len(runs)} run{'s' if len(runs) > 1 else ''}."


def _plans(plans: Sequence[PlanRuns], runs: Mapping[str, Run], by: Objective) -> Iterator[str]:
    frame = comparison.run_table(plans, runs, by)
    names = {
        "Predicted": f"Predicted {by.unit}",
        "Measured": f"Measured {by.unit}",
        "Prediction": "q-error",
    }
    columns = [names.get(str(name), str(name)) for name in frame.columns]
    values = frame.itertuples(index=False, name=None)
    yield html.heading("Plans")
    yield html.table(columns, values, "Plans that were run, predicted beside measured")
    yield html.paragraph(
        "q-error: max(p/m, m/p). ▲ over: predicted more than measured; ▼ under: predicted less; ≈: "
        "as predicted.",
        "quiet",
    )


def _charts(plans: Sequence[PlanRuns], runs: Mapping[str, Run], by: Objective) -> Iterator[str]:
    rows = [runs[plan.newest.id] for plan in plans]
    points = [(comparison.run_name(run), p, m) for run, p, m in measured_scores(rows, by)]
    if points:
        text = run_figures.pairs_text(points)
        yield html.chart(run_figures.all_plans(points, by.title), f"{by.title}. {text}")
    yield from _seconds(list(runs.values()))


def _seconds(runs: Sequence[Run]) -> Iterator[str]:
    """The seconds of the runs that can be compared, and a note on the others."""
    every = manners([summary_of(run) for run in runs])
    if not every:
        return
    chosen, shown = next(iter(every.items()))
    rows, parts = run_figures.named(shown, runs[0].workload), ("kernel", "engine")
    words = run_figures.seconds_alternative(rows, parts)
    yield html.chart(run_figures.seconds(rows, parts, run_figures.manner_text(chosen)), words)
    if left_out := run_figures.left_out(every, chosen):
        yield html.paragraph(left_out, "quiet")


def _run(run: Run, by: Objective) -> Iterator[str]:
    """One run: its bars, its picture, and every operator in a table."""
    yield html.heading(title_of(run))
    yield from (html.paragraph(f"Note: {warning}") for warning in run.warnings)
    yield from (html.paragraph(found.sentence) for found in diagnosed(run, few_tuples_of(run)))
    kinds = comparison.fields(run, by)
    field = kinds[0]
    rows = comparison.by_operator(run, field)
    if rows:
        errors = "; ".join(f"{name}: {error_text(p, m)}" for name, p, m in rows[:20])
        figure = figures.predicted_and_measured(rows, field, title_of(run))
        yield html.chart(figure, f"{UNITS[field]}, predicted beside measured. {errors}")
    counted = run.measurement.costs if run.measurement else None
    drawn = CanvasPlan(run.plan, run.estimate, by, counted, colours=colours(run.workload))
    yield html.picture(
        still(drawn),
        "Boxes with a count are branches of operators. Green: as predicted (≈). Orange: less "
        "measured than predicted (▲). Blue: more (▼).",
    )
    yield html.folded("Every operator", html.code(to_text(run.plan, run.estimate)))
    for title, frame in view_of(run.plan.family).report_tables(run).items():
        yield html.heading(title, 3)
        cells = (
            [None if pd.isna(value) else value for value in row]
            for row in frame.itertuples(index=False, name=None)
        )
        yield html.table(list(frame.columns), cells, f"{title_of(run)}: {title}")
    every = (
        (name, UNITS[kind], p, m, q_error(p, m), error_text(p, m))
        for kind in kinds
        for name, p, m in comparison.by_operator(run, kind)
    )
    columns = ["Operator", "Kind of work", "Predicted", "Measured", "q-error", "Prediction"]
    label = f"Operators of {title_of(run)}"
    yield html.folded("Every operator and kind of work", html.table(columns, every, label))


def _queries(run: Run) -> Iterator[str]:
    queries = run.workload.queries
    yield from (html.code(query.text) for query in queries[:_MOST_QUERIES])
    if len(queries) > _MOST_QUERIES:
        left = len(queries) - _MOST_QUERIES
        yield html.paragraph(f"And {left} more queries, which the file below has.", "quiet")


def _again(runs: Sequence[Run]) -> Iterator[str]:
    """Versions, seed and digests, and the commands that repeat the runs."""
    first = runs[0]
    yield html.heading("How to run it again")
    yield html.paragraph(
        f"Save the workload as {_WORKLOAD_FILE} in Sluice's folder. DIR is your own data's folder."
    )
    yield html.code("\n".join(dict.fromkeys(_command(run) for run in runs)))
    settings = first.workload.run
    known: list[tuple[str, str | float]] = [
        ("seed", settings.seed),
        ("warm-up (s)", first.workload.warmup),
        ("duration (s)", settings.duration),
        ("digest of the workload", first.workload.digest),
        ("digest of the data", first.data_digest),
        *first.versions.items(),
    ]
    yield html.table(["What", "Value"], known, "What a rerun depends on")
    answers = (
        (run.id, title_of(run), query, results, run.measurement.answers.get(query, ""))
        for run in runs
        if run.measurement is not None
        for query, results in run.measurement.results.items()
    )
    columns = ["Run", "Plan", "Query", "Results", "Digest of the answer"]
    yield html.folded("Answers", html.table(columns, answers, "Answers of all runs"))


def _command(run: Run) -> str:
    request = run.request
    options = {
        "--family": request.family,
        "--plan": run.plan.label,
        "--way": request.way,
        "--partitions": str(run.partitions),
        "--batch-rows": request.batch_rows and str(request.batch_rows),
        "--data": request.data and "DIR",
    }
    given = [text for option, value in options.items() if value for text in (option, value)]
    command = [".venv/bin/python", "-m", "runtime", "run", _WORKLOAD_FILE, *given]
    return shlex.join([*command, *(["--sort"] if request.sort else [])])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a report of runs; the exit code is 0, or 2 for a bad input."""

    def command() -> str:
        parser = Parser(prog="python -m pages.parts.report", description=__doc__)
        parser.add_argument("runs", metavar="RUN", nargs="+")
        parser.add_argument("--out", metavar="FILE", type=Path, required=True)
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
        options = parser.parse_args(arguments)
        history = History()
        content = report([history.get(name) for name in dict.fromkeys(options.runs)])
        try:
            options.out.write_text(content, encoding="utf-8")
        except OSError as error:
            raise RunError(f"cannot be written: {error.strerror}", str(options.out)) from error
        if options.json:
            return as_json({"file": str(options.out), "runs": options.runs})
        return f"{options.out}: {len(content) / 2**20:.1f} MB\n"

    return carry_out(command)


if __name__ == "__main__":
    sys.exit(main())
