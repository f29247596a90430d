"""The settings of a run: plans, mode, operators, seed and duration, and how long it may take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.run import run_choices
from pages.parts.shared import backend, messages, planning, seconds, state
from pages.parts.shared.formatting import counted, on_pages, plain, plan_name, seconds_text
from pages.parts.workload import drafts
from planner.families.protocol import Family, Ranking
from planner.numbers import amount
from planner.plan.cost import total
from planner.workload.workload import Workload
from runtime.runs.records import Backend, Run, Way

MOST_PLANS = 24
_LONGEST_MASTER = 200
_WAYS: dict[Way, str] = {
    "stream": "Stream: micro-batches through Spark's state store, with live figures",
    "replay": "Replay: one Spark batch job, faster for many plans",
}
_BACKENDS: dict[Backend, str] = {
    "kernels": "Sluice's kernels: every comparison is counted",
    "native": "Spark's own operators: what Spark can do without Sluice, with Spark's own counts",
}


def pick_plans(ranking: Ranking) -> list[str]:
    """Plans to run; at first the best one and the one it is compared with."""
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
            help="Plans run one after the other on the same tuples.",
        ),
    )


def pick_way() -> Way:
    """How the plans run."""
    return run_choices.radio("way", "Mode", _WAYS)


def pick_backend() -> Backend:
    """What executes the plans."""
    return run_choices.radio("backend", "Operators", _BACKENDS)


def refused(
    chosen: Family, workload: Workload, labels: Sequence[str], way: Way, backend: Backend
) -> bool:
    """Whether Spark's own operators cannot run some of these plans; the page then says why."""
    from runtime.backends.native.kinds import refusal

    if backend != "native":
        return False
    reasons: dict[str, list[str]] = {}
    for label in labels:
        plan, _ = planning.priced(chosen.name, workload, label)
        if reason := refusal(plan, workload, way):
            reasons.setdefault(reason, []).append(plan_name(label))
    for reason, names in reasons.items():
        message = f"Spark's own operators cannot run {', '.join(names)}: {on_pages(reason)}."
        st.error(plain(message, 1000), icon=":material/error:")
    return bool(reasons)


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
            help="Plans run round by round, each round in another order, so that a machine that "
            "slows down affects all plans alike. Results shows the spread.",
        ),
    )


def pick_most_seconds() -> float:
    """Seconds after which a run is stopped."""
    from runtime.runs.records import MOST_SECONDS

    help_text = "A run that takes longer is stopped. It can be resumed."
    return _limit("most_seconds", "Time limit per run (s)", MOST_SECONDS, help_text)


def pick_most_disk() -> float:
    """Megabytes of disk at which a run is stopped."""
    from runtime.runs.records import MOST_DISK_MB

    help_text = "For its micro-batches, and for its state while it runs."
    return _limit("most_disk", "Disk limit per run (MB)", MOST_DISK_MB, help_text)


def _limit(name: str, label: str, usual: float, help_text: str) -> float:
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
            help=help_text,
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
            help="A cluster, such as spark://HOST:7077. All its machines need a shared folder "
            "under the same path: set SLUICE_SHARED to it before ./start. A cluster on this "
            "machine needs none.",
        ),
    )
    return typed.strip() or None


def keep_answers(chosen: Family) -> bool:
    """Whether answers are kept, where the family can keep them."""
    if not view_of(chosen.name).keeps_answers:
        return False
    return run_choices.given(
        "keep_answers",
        True,
        lambda first: st.checkbox(
            "Keep the answer and its changes to see them under Results",
            value=first,
            key="keep-answers",
            persist_state="session",
            help="Kept for a week. Writing every change of a group takes extra time.",
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
        help="Not measured: windows fill up first.",
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
    """How much work the run is, and how long earlier runs took."""
    folder, _ = state.data()
    if folder is None:
        read = [[source.name for source in query.sources] for query in workload.queries]
        # A stream under two aliases arrives under each; the rows of a relation do not arrive.
        rates = (
            (stream.rate or 0.0) * max(sources.count(stream.name) for sources in read)
            for stream in workload.streams
        )
        tuples = stream_seconds(workload) * sum(rates)
        ahead = f"About {amount(round(tuples))} tuples per plan"
        if operators == "native":
            ahead = f"{ahead}. Spark's own operators count no comparisons."
        else:
            work = sum(comparisons(chosen, workload, label) for label in labels)
            in_all = amount(round(work * repeats * stream_seconds(workload)))
            expected = seconds.expected(chosen, workload, labels, way, tuples, pace, repeats)
            ahead = f"{ahead} and {in_all} comparisons in total. {expected}"
    else:
        ahead = "All tuples of the files are processed."
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
    """How long earlier runs of this workload took."""
    mine = [run for run in backend.runs(workload.digest) if _counts(run, way, pace, operators)]
    if mine:
        each = median(run.measurement.timings.total for run in mine if run.measurement)
        runs = counted(len(mine), "earlier run")
        took = f"{runs} took {seconds_text(each)} each"
        return f"Expect about {seconds_text(each * plans)}: {took}."
    first = "It has not been run in this mode yet"
    return f"{first}." if backend.spark_ready() else f"{first}; a first run also starts Spark."


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
            f"The warm-up of {warmup:g} s is shorter than the longest window ({longest:g} s). "
            "Windows are not full yet when counting begins, so less is measured than predicted."
        )
