"""A lesson: its text, the question, the answer once it was guessed, and what may be changed."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared.formatting import plain
from pages.parts.teach.player import PlayerRequest
from runtime.tracing.lesson_file import Lesson

_AS_GIVEN = "as it is"


def asked(lesson: Lesson, variant: str = _AS_GIVEN) -> PlayerRequest:
    """What a lesson shows, as it is or changed."""
    change = lesson.change
    workload, plans, tables = lesson.workload, lesson.plans, lesson.tables
    if change is not None and variant in change.variants:
        workload, plans = change.variants[variant], change.plans.get(variant, plans)
    return PlayerRequest(
        workload, plans, lesson.steps, lesson.family, tables, lesson.start is None, lesson.show,
        f"{lesson.name} {variant}",
    )  # fmt: skip


def show(lesson: Lesson) -> PlayerRequest:
    """The text beside the steps; returns what is to be watched."""
    # A lesson's text is Markdown of whoever wrote its file; HTML in it is not interpreted.
    st.markdown(f"### {plain(lesson.title, 120)}", anchors=False)
    st.markdown(lesson.text)
    if lesson.question is not None:
        _question(lesson)
    variant = _AS_GIVEN
    if lesson.change is not None:
        st.markdown("**Change this**")
        st.markdown(lesson.change.text)
        if lesson.change.variants:
            variant = st.radio(
                "Watch it",
                [_AS_GIVEN, *lesson.change.variants],
                key=f"variant-{lesson.name}",
                format_func=lambda name: name,
            )
    return asked(lesson, variant)


def _question(lesson: Lesson) -> None:
    question = lesson.question
    assert question is not None
    choice = st.radio(
        f"**{question.ask}**",
        range(len(question.choices)),
        index=None,
        format_func=lambda number: question.choices[number],
        key=f"question-{lesson.name}",
    )
    if choice is None:
        st.caption("Choose before you step to the end; the answer is shown then.")
        return
    if choice == question.answer:
        st.success("Right.", icon=":material/check:")
    else:
        st.warning(f"It is: {question.choices[question.answer]}", icon=":material/lightbulb:")
    st.markdown(question.why)
    if lesson.after:
        st.markdown(lesson.after)
