"""Teach: a plan at work, one tuple at a time; two plans in lockstep; lessons."""

import streamlit as st

from pages.parts.shared import routing
from pages.parts.teach import choices, lesson_view, plan_picture, player, presenter

routing.ensure()
lesson = choices.lesson()
if presenter.is_on():
    presenter.show(lesson)
elif lesson is None:
    choices.title(lesson)
    watched = choices.own_workload()
    player.show(watched)
    plan_picture.show(watched)
    presenter.offer(watched, watched.workload.name)
else:
    choices.title(lesson)
    text, steps = st.columns([2, 5], gap="medium")
    with text:
        watched = lesson_view.show(lesson)
    with steps:
        player.show(watched)
        lesson_view.picture(lesson, watched)
    plan_picture.show(watched)
    presenter.offer(watched, lesson.title)
