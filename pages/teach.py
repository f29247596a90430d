"""Teach: a plan at work, one tuple at a time; two plans in lockstep; lessons."""

import streamlit as st

from pages.parts.shared import routing
from pages.parts.teach import choices, lesson_view, player, presenter

routing.ensure()
lesson = choices.lesson()
if presenter.is_on():
    presenter.show(lesson)
elif lesson is None:
    choices.title(lesson)
    player.show(choices.own_workload())
else:
    choices.title(lesson)
    text, steps = st.columns([2, 5], gap="medium")
    with text:
        watched = lesson_view.show(lesson)
    with steps:
        player.show(watched)
    presenter.offer(lesson)
