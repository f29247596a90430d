"""What is watched: a lesson, or one plan or two of the open workload."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.parts.shared import planning, samples, state
from pages.parts.shared.formatting import plain
from pages.parts.teach.player import PlayerRequest
from planner.errors import PlanError
from runtime.tracing.lesson_file import Lesson, lessons

LESSON = "lesson"
_FOLDER = samples.FOLDER / "lessons"
_STEPS = (20, 40, 100, 200)


@st.cache_resource(show_spinner=False)
def _read(stamp: object) -> tuple[Lesson, ...]:
    """Read again when a file has changed."""
    del stamp
    return tuple(lessons(_FOLDER))


def known() -> tuple[Lesson, ...]:
    """All lessons, as their files are now."""
    stamp = tuple((file.name, file.stat().st_mtime_ns) for file in sorted(_FOLDER.glob("*.yaml")))
    return _read(stamp)


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


def _choose(key: str) -> None:
    _open(st.session_state[key])


def own_workload() -> PlayerRequest:
    """Two plans of the open workload: the best, and the one that it is compared with."""
    family, workload = planning.subject()
    ranking = planning.ranking(family, workload, everything=False)
    _, other = planning.companion(ranking)
    labels = list(dict.fromkeys(candidate.label for candidate in ranking.candidates))
    best, second = ranking.best, other.label
    name = planning.namer(family.name, workload)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.selectbox(
            "Plan",
            labels,
            index=labels.index(best) if best in labels else 0,
            format_func=name,
        )
        rest = ["", *(label for label in labels if label != first)]
        with_two = second if second in rest else rest[-1]
        beside = st.selectbox(
            "Beside it",
            rest,
            index=rest.index(with_two),
            format_func=lambda label: name(label) if label else "nothing: one plan alone",
        )
        steps = st.selectbox("Tuples", _STEPS, index=1, width=110)
    folder, _ = state.data()
    if folder is not None:
        st.caption("Tuples are generated with the statistics of your data.")
    chosen = (first, beside) if beside else (first,)
    return PlayerRequest(workload, chosen, int(steps), family.name)
