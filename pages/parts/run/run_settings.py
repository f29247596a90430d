"""The settings of a run: plans, mode, operators, seed and duration, and how long it may take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

import streamlit as st

from pages.parts.families.registry import view_of
from pages.parts.run import run_choices
from pages.parts.run.launch import RunOptions
from pages.parts.shared import backend, controls, planning, seconds, state
from pages.parts.shared.formatting import counted, on_pages, plain, seconds_text
from pages.parts.workload import drafts
from planner.errors import SluiceError
from planner.families.capabilities import Switching
from planner.families.protocol import Family, Ranking
from planner.numbers import amount, roughly
from planner.plan.cost import total
from planner.workload.adapt import Adapt, PolicyName
from planner.workload.workload import Workload
from runtime.runs.records import MOST_DISK_MB, MOST_REPEATS, MOST_SECONDS


def pick_plans(ranking: Ranking) -> list[str]:
    """Plans to run; at first the best one and the one it is compared with."""
    _, other = planning.companion(ranking)
    chosen_family, workload = planning.subject()
    title = planning.space(chosen_family.name, workload).title
    tags = {
        # What the name of a plan says already is not said again.
        c.label: ", ".join(tag for tag in c.tags if tag not in title(c.label).lower())
        for c in ranking.candidates
    }
    chosen = state.plan(tuple(tags), ranking.best)
    usual = list(dict.fromkeys([ranking.best, other.label, chosen]))
    before = [label for label in run_choices.before("plans", usual) if label in tags]
    field = controls.field("plans")
    picked = st.multiselect(
        options=list(tags),
        default=(before or usual)[: field["max_selections"]],
        format_func=lambda label: (
            f"{title(label)} · {tags[label]}" if tags[label] else title(label)
        ),
        **field,
    )
    return run_choices.noted("plans", usual, picked)


def pick(chosen: Family, workload: Workload) -> RunOptions:
    """How the plans run, and what for; seed and duration are changed in the workload."""
    way = run_choices.option("way", st.radio)
    operators = run_choices.option("backend", st.radio)
    keep = view_of(chosen.name).keeps_answers and run_choices.given(
        "keep_answers", True, st.checkbox
    )
    watched = way == "stream" and operators == "kernels"
    watch = watched and run_choices.given("watch", False, st.checkbox)
    edit_span()
    if operators == "kernels":
        edit_adapting(chosen, workload)
    columns = st.columns(5)
    repeats = run_choices.given("repeats", 1, columns[0].number_input, max_value=MOST_REPEATS)
    limits = (
        run_choices.given("most_seconds", MOST_SECONDS, columns[1].number_input),
        run_choices.given("most_disk", MOST_DISK_MB, columns[2].number_input),
    )
    with columns[3]:
        pace = run_choices.pick_pace(workload, way) if operators == "kernels" else None
    master = run_choices.given("master", "", columns[4].text_input)
    return RunOptions(way, operators, keep, repeats, *limits, pace, master.strip() or None, watch)


def summary(workload: Workload, options: RunOptions) -> str:
    """The settings in one line: `Stream on Sluice's kernels · 6,000 s after 200 s of warm-up`."""
    run, (folder, _) = workload.run, state.data()
    operators = "Sluice's kernels" if options.backend == "kernels" else "Spark's own operators"
    span = f"{amount(run.duration)} s after {amount(workload.warmup)} s of warm-up"
    parts = [
        f"{options.way.capitalize()} on {operators}",
        *([f"{span}, seed {run.seed}"] if folder is None else ["all tuples of the files"]),
        "each plan once" if options.repeats == 1 else f"each plan {options.repeats} times",
        f"at most {seconds_text(options.most_seconds)} and {amount(options.most_disk_mb)} MB each",
        *([run_choices.pace_words(options.pace)] if options.pace else []),
        *([f"on {options.master}"] if options.master else []),
        *(["statistics watched"] if options.watch else []),
        *([counted(len(run.changes), "planned change")] if run.changes else []),
        *([f"plans are switched {_POLICIES[run.adapt.policy]}"] if run.adapt else []),
    ]
    return " · ".join(parts)


def refused(chosen: Family, workload: Workload, labels: Sequence[str], options: RunOptions) -> bool:
    """Whether Spark's own operators cannot run some of these plans; the page then says why."""
    from runtime.backends.native.kinds import refusal

    if options.backend != "native":
        return False
    reasons: dict[str, list[str]] = {}
    for label in labels:
        plan, _ = planning.priced(chosen.name, workload, label)
        if reason := refusal(plan, workload, options.way):
            reasons.setdefault(reason, []).append(planning.title(chosen.name, label, workload))
    for reason, names in reasons.items():
        message = f"Spark's own operators cannot run {', '.join(names)}: {on_pages(reason)}."
        st.error(plain(message, 1000), icon=":material/error:")
    return bool(reasons)


_SPAN_MISTAKE = "span_mistake"


def mistake() -> SluiceError | None:
    """What is wrong with the seconds that were typed: nothing runs until it is right."""
    return st.session_state.get(_SPAN_MISTAKE)


def edit_span() -> None:
    """Seed, warm-up and duration, which belong to the workload: its file holds them.

    The boxes take any number, so that one out of range is refused here and not just left unsent.
    """
    run = state.workload().run
    columns = st.columns(3)
    seed = columns[0].number_input(value=run.seed, **controls.field("seed"))
    before = None if run.warmup is None else float(run.warmup)
    warmup = columns[1].number_input(value=before, **controls.field("warmup"))
    duration = columns[2].number_input(value=float(run.duration), **controls.field("duration"))
    with controls.kept(_SPAN_MISTAKE):
        changed = replace(run, seed=seed, warmup=warmup, duration=duration)
        if changed != run:
            drafts.set_run(changed)
            st.rerun()


_POLICIES: dict[PolicyName | None, str] = {
    None: "no",
    "regret": "by regret",
    "threshold": "by a threshold on rates",
    "always": "whenever another plan is better",
    "never": "never, but decide as often",
}


def edit_adapting(chosen: Family, workload: Workload) -> None:
    """Whether the plan follows its tuples, and by which policy: part of the workload too."""
    run = state.workload().run
    if planning.space(chosen.name, workload).capability(Switching) is None or run.changes:
        return
    options = list(_POLICIES)
    field = controls.field("adapt")
    now = None if run.adapt is None else run.adapt.policy
    policy = st.selectbox(
        options=options, index=options.index(now), format_func=_POLICIES.__getitem__, **field
    )
    if policy == now:
        return
    with controls.shown():
        adapt = policy and replace(run.adapt or Adapt(), policy=policy)
        drafts.set_run(replace(run, adapt=adapt))
        st.rerun()


def expectation(
    chosen: Family, workload: Workload, labels: Sequence[str], options: RunOptions
) -> None:
    """How much work the run is, and how long earlier runs took."""
    from runtime.data.run_data import run_seconds

    folder, _ = state.data()
    if folder is None:
        read = [[source.name for source in query.sources] for query in workload.queries]
        # A stream under two aliases arrives under each; the rows of a relation do not arrive.
        rates = (
            (stream.rate or 0.0) * max(sources.count(stream.name) for sources in read)
            for stream in workload.streams
        )
        tuples = run_seconds(workload) * sum(rates)
        ahead = f"About {roughly(tuples)} tuples per plan"
        if options.backend == "native":
            ahead = f"{ahead}. Spark's own operators count no comparisons."
        else:
            work = sum(comparisons(chosen, workload, label) for label in labels)
            in_all = roughly(work * options.repeats * run_seconds(workload))
            expected = seconds.expected(chosen, workload, labels, tuples, options)
            ahead = f"{ahead} and {in_all} comparisons in all. {expected}"
    else:
        ahead = "All tuples of the files are processed."
    st.caption(f"{ahead} {_before(workload, len(labels) * options.repeats, options)}")


def comparisons(chosen: Family, workload: Workload, label: str) -> float:
    """Comparisons per second that the plan should make."""
    plan, estimate = planning.priced(chosen.name, workload, label)
    return total(estimate.costs, (root.id for root in plan.roots)).comparisons


def _before(workload: Workload, plans: int, options: RunOptions) -> str:
    """How long earlier runs of this workload took."""
    wanted = options.way, options.pace, options.backend
    mine = [
        run.measurement.timings.total
        for run in backend.runs(workload.digest)
        if run.status == "finished" and run.measurement is not None
        if (run.request.way, run.request.pace, run.request.backend) == wanted
    ]
    if mine:
        each = median(mine)
        took = f"{counted(len(mine), 'earlier run')} took {seconds_text(each)} each"
        return f"Expect about {seconds_text(each * plans)}: {took}."
    first = "It has not been run in this mode yet"
    return f"{first}." if backend.spark_ready() else f"{first}; a first run also starts Spark."


def warnings(workload: Workload) -> Iterator[str]:
    """What a user should know before running."""
    warmup = workload.run.warmup
    longest = workload.longest_window
    if warmup is not None and warmup < longest:
        yield (
            f"The warm-up of {warmup:g} s is shorter than the longest window ({longest:g} s). "
            "Windows are not full yet when counting begins, so less is measured than predicted."
        )
