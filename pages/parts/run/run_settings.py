"""The settings of a run: plans, way, seed and span, and what is to be expected of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts.run import run_choices, warming
from pages.parts.shared import backend, messages, planning, seconds, state
from pages.parts.shared.formatting import counted, plan_name, seconds_text
from pages.parts.workload import drafts
from planner.families.early_aggregation import EarlyAggregation
from planner.families.protocol import Family, Ranking
from planner.numbers import amount
from planner.plan.cost import total
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.runs.records import Backend, Run, Way

MOST_PLANS = 24
_LONGEST_MASTER = 200
_WAYS: dict[Way, str] = {
    "stream": "Stream: micro-batches through Spark's state store, live figures",
    "replay": "Replay: one Spark batch job, faster for many plans",
}


def pick_plans(ranking: Ranking) -> list[str]:
    """Plans to run; the best and what it is compared with are chosen already."""
    _, other = planning.companion(ranking)
    tags = {c.label: ", ".join(c.tags) for c in ranking.candidates}
    chosen = state.plan(tuple(tags), ranking.best)
    usual = list(dict.fromkeys([ranking.best, other.label, chosen]))
    return run_choices.several(
        "plans",
        list(tags),
        usual,
        lambda first: st.multiselect(
            "Plans",
            list(tags),
            default=first[:MOST_PLANS],
            format_func=lambda label: (
                f"{plan_name(label)} ({tags[label]})" if tags[label] else plan_name(label)
            ),
            max_selections=MOST_PLANS,
            help="They run one after the other on the same tuples.",
        ),
    )


def pick_way() -> Way:
    """How the plans run."""
    return run_choices.radio("way", "Way", _WAYS)


def pick_repeats() -> int:
    """How often each plan runs."""
    from runtime.runs.records import MOST_REPEATS

    return run_choices.number(
        "repeats",
        1,
        1,
        MOST_REPEATS,
        lambda first: st.number_input(
            "Repeats of each plan",
            min_value=1,
            max_value=MOST_REPEATS,
            value=first,
            key="repeats",
            persist_state="session",
            help="Round by round, each round in another order, so that a machine that grows slower "
            "slows all plans alike. Results shows the spread.",
        ),
    )


def pick_most_seconds() -> float:
    """When a run is ended, whatever it has done."""
    from runtime.runs.records import MOST_SECONDS

    told = "A run that takes longer is ended, and says so. It can be gone on with."
    return _limit("most_seconds", "Most seconds a run", MOST_SECONDS, told)


def pick_most_disk() -> float:
    """Megabytes of disk at which a run is ended."""
    from runtime.runs.records import MOST_DISK_MB

    told = "Its micro-batches, and what it keeps while it runs."
    return _limit("most_disk", "Most disk a run (MB)", MOST_DISK_MB, told)


def _limit(name: str, label: str, usual: float, told: str) -> float:
    return run_choices.number(
        name,
        usual,
        1.0,
        math.inf,
        lambda first: st.number_input(
            label,
            min_value=1.0,
            value=first,
            format="%g",
            key=name.replace("_", "-"),
            persist_state="session",
            help=told,
        ),
    )


def pick_master() -> str | None:
    """Where Spark runs; None is this machine."""
    typed = run_choices.given(
        "master",
        "",
        lambda first: st.text_input(
            "Spark master",
            first[:_LONGEST_MASTER],
            placeholder="this machine",
            max_chars=_LONGEST_MASTER,
            key="master",
            persist_state="session",
            help="A cluster, such as spark://HOST:7077. Its machines must see one folder under one "
            "path: name it in SLUICE_SHARED before ./start. A cluster on this machine needs none.",
        ),
    )
    return typed.strip() or None


def keep_answers(chosen: Family) -> bool:
    """Whether the answers are kept: of aggregations, which have few groups."""
    if not isinstance(chosen, EarlyAggregation):
        return False
    return run_choices.given(
        "keep_answers",
        True,
        lambda first: st.checkbox(
            "Keep the answer and its changes, to see them under Results",
            value=first,
            key="keep-answers",
            persist_state="session",
            help="Kept for a week. Writing every change of a group takes time, too.",
        ),
    )


def edit_span() -> None:
    """Seed, warm-up and duration, which belong to the workload: its file holds them."""
    run = state.workload().run
    columns = st.columns(3)
    seed = columns[0].number_input("Seed", min_value=0, value=run.seed, step=1)
    warmup = columns[1].number_input(
        "Warm-up (s of stream time)",
        min_value=0.0,
        value=None if run.warmup is None else float(run.warmup),
        placeholder="the longest window",
        help="Left out of the figures: windows fill up first.",
    )
    duration = columns[2].number_input(
        "Duration (s of stream time)", min_value=0.001, value=float(run.duration), format="%g"
    )
    with messages.shown():
        changed = replace(run, seed=seed, warmup=warmup, duration=duration)
        if changed != run:
            drafts.set_run(changed)
            st.rerun()


def expectation(
    chosen: Family,
    workload: Workload,
    labels: Sequence[str],
    way: Way,
    pace: float | None,
    repeats: int,
    operators: Backend,
) -> None:
    """How much work is ahead, and how long it took before."""
    folder, _ = state.data()
    if folder is None:
        read = [[source.name for source in query.sources] for query in workload.queries]
        # A stream under two aliases arrives under each; the rows of a relation do not arrive.
        rates = (
            (stream.rate or 0.0) * max(sources.count(stream.name) for sources in read)
            for stream in workload.streams
        )
        tuples = stream_seconds(workload) * sum(rates)
        ahead = f"About {amount(round(tuples))} tuples a plan"
        if operators == "native":
            ahead = f"{ahead}. Spark's own operators count no comparisons."
        else:
            work = sum(comparisons(chosen, workload, label) for label in labels)
            in_all = amount(round(work * repeats * stream_seconds(workload)))
            expected = seconds.expected(chosen, workload, labels, way, tuples, pace, repeats)
            ahead = f"{ahead} and {in_all} comparisons in all. {expected}"
    else:
        ahead = "All tuples of the files are run."
    st.caption(f"{ahead} {_before(workload, way, pace, len(labels) * repeats, operators)}")


def stream_seconds(workload: Workload) -> float:
    """The stream time that a run covers, warm-up included."""
    from runtime.data.run_data import run_seconds

    return run_seconds(workload)


def comparisons(chosen: Family, workload: Workload, label: str) -> float:
    """Comparisons per second that the plan should make."""
    plan, estimate = planning.priced(chosen.name, workload, label)
    return total(estimate.costs, (root.id for root in plan.roots)).comparisons


def _before(
    workload: Workload, way: Way, pace: float | None, plans: int, operators: Backend
) -> str:
    """What earlier runs took: of this workload, or else of any."""
    mine = [run for run in backend.runs(workload.digest) if _counts(run, way, pace, operators)]
    if mine:
        each = median(run.measurement.timings.total for run in mine if run.measurement)
        runs = counted(len(mine), "earlier run")
        took = f"{runs} took {seconds_text(each)} each"
        return f"Expect about {seconds_text(each * plans)}: {took}."
    first = "It has not been run this way yet"
    return f"{first}." if warming.ready() else f"{first}: a first run also starts Spark."


def _counts(run: Run, way: Way, pace: float | None, operators: Backend) -> bool:
    asked = run.request
    alike = (asked.way, asked.pace, asked.backend) == (way, pace, operators)
    return run.status == "finished" and alike and run.measurement is not None


def warnings(workload: Workload) -> Iterator[str]:
    """What a user should know before running."""
    warmup = workload.run.warmup
    longest = workload.longest_window
    if warmup is not None and warmup < longest:
        yield (
            f"The warm-up of {warmup:g} s is shorter than the longest window ({longest:g} s): "
            "windows are not yet full when counting begins, and less is measured than predicted."
        )
