"""What is watched: a lesson, or one plan or two of the open workload."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from pages.parts.shared import controls, planning, samples, state
from pages.parts.shared.formatting import counted, plain
from pages.parts.teach.player import PlayerRequest
from planner.errors import PlanError
from planner.families.protocol import Candidate, Ranking
from planner.workload.workload import Workload
from runtime.tracing.lesson_file import Lesson, lessons
from runtime.tracing.shortened import shortened, shortening

T = TypeVar("T")
LESSON = "lesson"
_FOLDER = samples.FOLDER / "lessons"
_STEPS = (20, 40, 100, 200)
# A plan that does more in all steps takes seconds to be stepped in plain Python.
_MOST_OPERATIONS = 500_000


@st.cache_resource(show_spinner=False, max_entries=4)
def _read(stamp: object) -> tuple[list[Lesson], list[PlanError]]:
    """Read again when a file has changed."""
    del stamp
    return lessons(_FOLDER)


def _now() -> tuple[list[Lesson], list[PlanError]]:
    return _read(tuple((f.name, f.stat().st_mtime_ns) for f in sorted(_FOLDER.glob("*.yaml"))))


def known() -> list[Lesson]:
    """All lessons, as their files are now."""
    return _now()[0]


def show_mistakes() -> None:
    """What is wrong with files of lessons; the others are there all the same."""
    for mistake in _now()[1]:
        controls.show(mistake)


def lesson() -> Lesson | None:
    """The lesson that the address or the picker names; None: the open workload."""
    by_name = {found.name: found for found in known()}
    name = st.query_params.get(LESSON) or st.session_state.get(LESSON, "")
    if name and name not in by_name:
        _open("")
        raise PlanError(f"there is no lesson {name!r}; choose one on Teach", "the link")
    _open(name)
    return by_name.get(name)


def _open(name: str) -> None:
    """In the address, so that a link opens it; in the session, so that the page comes back."""
    st.session_state[LESSON] = name
    if name:
        st.query_params[LESSON] = name
    else:
        st.query_params.pop(LESSON, None)


def title(now: Lesson | None) -> None:
    """The head of the page, with the picker of lessons."""
    titles = {found.name: found.title for found in known()}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("## Teach", width="content", anchors=False)
        st.selectbox(
            "Lesson",
            ["", *titles],
            index=0 if now is None else 1 + list(titles).index(now.name),
            format_func=lambda name: titles[name] if name else "The open workload",
            key=f"lesson-of-{now.name if now else ''}",
            label_visibility="collapsed",
            width=460,
            on_change=partial(_choose, f"lesson-of-{now.name if now else ''}"),
        )
        if now is not None and now.place:
            st.caption(plain(f"{now.paper}, {now.place}" if now.paper else now.place, 160))
    show_mistakes()


def _choose(key: str) -> None:
    _open(st.session_state[key])


def own_workload(choose: bool = True) -> PlayerRequest:
    """Two plans of the open workload: the best, and the one that it is compared with.

    Without boxes to `choose` from they are those that were chosen last.
    """
    family, whole = planning.subject()
    factor = shortening(whole, family.name)
    workload = shortened(whole, factor)
    ranking = planning.ranking(family, workload, everything=False)
    labels = list(dict.fromkeys(candidate.label for candidate in ranking.candidates))
    key = f"of {workload.digest} {family.name}"
    best = ranking.best if ranking.best in labels else labels[0]
    chosen = st.session_state.get(f"plan {key}", best)
    rest = ["", *(label for label in labels if label != chosen)]
    steps = int(st.session_state.get("teach tuples", _STEPS[1]))
    other = _companion(ranking, workload, steps)
    beside = st.session_state.get(f"beside {key}", other if other in rest else rest[-1])
    if choose:
        name = planning.namer(family.name, workload)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = _box("Plan", labels, chosen, f"plan {key}", name)
            rest = ["", *(label for label in labels if label != chosen)]
            beside = _box(
                "Beside it", rest, beside if beside in rest else rest[-1], f"beside {key}",
                lambda label: name(label) if label else "nothing: one plan alone",
            )  # fmt: skip
            steps = _box("Tuples", _STEPS, steps, "teach tuples", str, 110)
        _notes(whole, factor)
    plans = (chosen, beside) if beside and beside != chosen else (chosen,)
    by = planning.objective(family.name, workload).name
    return PlayerRequest(workload, plans, steps, family.name, counter=by)


def _companion(ranking: Ranking, workload: Workload, steps: int) -> str:
    """What is run beside the best plan; where that does too much, the dearest that does not."""
    usual = planning.companion(ranking)[1]
    rate = sum(stream.rate or 0.0 for stream in workload.streams) or 1.0

    def drawn_quickly(candidate: Candidate) -> bool:
        return candidate.cost.operations / rate * steps <= _MOST_OPERATIONS

    quick = [c for c in ranking.candidates if c.label != ranking.best and drawn_quickly(c)]
    return usual.label if drawn_quickly(usual) or not quick else quick[-1].label


def _box(
    title: str, options: Sequence[T], now: T, key: str, name: Callable[[T], str], width: Any = 400
) -> T:
    at = options.index(now) if now in options else 0
    if key in st.session_state and st.session_state[key] not in options:
        st.session_state[key] = options[at]
    return st.selectbox(
        title, options, index=at, format_func=name, key=key, width=width, persist_state="session"
    )


def _notes(workload: Workload, factor: int) -> None:
    """Where what is watched is not the workload as it is."""
    if factor > 1:
        longest = workload.longest_window
        st.caption(
            f"Windows are {factor} times shorter here, {longest / factor:g} s instead of "
            f"{longest:g} s for the longest, so that they are full and can be seen. Plans are "
            "ranked and predicted for these windows."
        )
    if workload.run.changes:
        changes = counted(len(workload.run.changes), "change")
        st.caption(
            f"The {changes} of this workload's run are not shown: all steps are with the queries "
            "and the plan of its start."
        )
    if state.data()[0] is not None:
        st.caption("Tuples are generated with the statistics of your data.")
