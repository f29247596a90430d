"""A lesson: its text, the question, the answer once it was guessed, and what may be changed."""

from __future__ import annotations

import streamlit as st

from pages.parts.families.protocol import PlanChoice
from pages.parts.families.registry import view_of
from pages.parts.shared import planning
from pages.parts.shared.formatting import plain
from pages.parts.teach.player import PlayerRequest
from planner.errors import PlanError
from planner.families.registry import family
from planner.workload.validation import listed
from runtime.tracing.lesson_file import Lesson

AS_GIVEN = "as it is"


def asked(lesson: Lesson, variant: str = AS_GIVEN) -> PlayerRequest:
    """What a lesson shows, as it is or changed."""
    change = lesson.change
    workload, plans, tables = lesson.workload, lesson.plans, lesson.tables
    if change is not None and variant in change.variants:
        workload, plans = change.variants[variant], change.plans.get(variant, plans)
    return PlayerRequest(
        workload, plans, lesson.steps, lesson.family, tables, lesson.start is None, lesson.show,
        f"{lesson.name} {variant}", lesson.counter,
    )  # fmt: skip


def show(lesson: Lesson) -> PlayerRequest:
    """The text beside the steps; returns what is to be watched."""
    # A lesson's text is Markdown of whoever wrote its file; HTML in it is not interpreted.
    st.markdown(f"### {plain(lesson.title, 120)}", anchors=False)
    st.markdown(lesson.text)
    if lesson.question is not None:
        question(lesson)
    variant = change(lesson) if lesson.change is not None else AS_GIVEN
    conclusion(lesson)
    return asked(lesson, variant)


def change(lesson: Lesson) -> str:
    """What the student may change; returns the variant that is watched."""
    assert lesson.change is not None
    st.markdown("**Change this**")
    st.markdown(lesson.change.text)
    if not lesson.change.variants:
        return AS_GIVEN
    chosen = st.radio(
        "Watch it",
        [AS_GIVEN, *lesson.change.variants],
        key=f"variant-{lesson.name}",
        persist_state="session",
    )
    return str(chosen)


def picture(lesson: Lesson, watched: PlayerRequest) -> None:
    """A picture of the first plan, as the page Plans has it."""
    if not lesson.picture or watched.family is None:
        return
    chosen, workload = family(watched.family), watched.workload
    ranking = planning.ranking(chosen, workload)
    choice = PlanChoice(
        chosen,
        workload,
        ranking,
        planning.baseline(ranking),
        watched.plans[0],
        tables=watched.tables,
    )
    pictures = view_of(watched.family).details(choice, {})
    if lesson.picture not in pictures:
        place = f"lesson {lesson.name}.yaml: picture"
        raise PlanError(f"there is no {lesson.picture!r}; there is {listed(pictures)}", place)
    with st.expander(plain(lesson.picture, 60)):
        pictures[lesson.picture]()


def question(lesson: Lesson) -> None:
    """The question, and its answer once it was guessed."""
    asking = lesson.question
    assert asking is not None
    choice = st.radio(
        f"**{asking.ask}**",
        range(len(asking.choices)),
        index=None,
        format_func=lambda number: asking.choices[number],
        key=_key(lesson),
        persist_state="session",
    )
    if choice is None:
        st.caption("Answer before you step to the end. What you choose is explained here.")
        return
    if choice == asking.answer:
        st.success("Right.", icon=":material/check:")
    else:
        st.warning(f"It is: {asking.choices[asking.answer]}", icon=":material/lightbulb:")
    st.markdown(asking.why)


def conclusion(lesson: Lesson) -> None:
    """What is said at the end, which may answer what was to be tried: once the question was."""
    answered = lesson.question is None or st.session_state.get(_key(lesson)) is not None
    if lesson.after and answered:
        st.markdown(lesson.after)


def _key(lesson: Lesson) -> str:
    return f"question-{lesson.name}"
