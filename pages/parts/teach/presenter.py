"""The presenter's view: large type, few words, no menus; and the steps as a file for slides."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import charts, controls, planning
from pages.parts.shared.formatting import plain
from pages.parts.teach import choices, lesson_view, player
from pages.parts.teach.animated_svg import animated_svg
from pages.parts.teach.player import PlayerRequest
from runtime.tracing.lesson_file import Lesson

PRESENT = "present"
_QUIET = """<style>
[data-testid=stHeader], [data-testid=stToolbar] { display: none; }
[data-testid=stMainBlockContainer] { padding: 4px 16px 0; }
[data-testid=stMain] h3 { font-size: 26px; line-height: 1.15; padding: 0; }
[data-testid=stMain] button p { font-size: 20px; }
[data-testid=stPopoverBody] { width: 900px; max-width: 94vw; max-height: 80vh; }
[data-testid=stPopoverBody] p, [data-testid=stPopoverBody] li, [data-testid=stPopoverBody] td,
[data-testid=stPopoverBody] th { font-size: 24px; line-height: 1.4; }
</style>"""


def is_on() -> bool:
    """Whether the address or a click asks for it."""
    return PRESENT in st.query_params


def show(lesson: Lesson | None) -> None:
    """The steps as large as they get; the words of a lesson are a click away."""
    st.html(_QUIET)
    if lesson is None:
        _, workload = planning.subject()
        asks = workload.name
    else:
        asks = lesson.question.ask if lesson.question is not None else lesson.title
    words, buttons = st.columns([3, 2], vertical_alignment="center")
    words.markdown(f"### {plain(asks, 200)}", anchors=False)
    with buttons, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        watched = _words(lesson) if lesson is not None else choices.own_workload(choose=False)
        st.button("Leave", on_click=_set, args=(False,), type="tertiary")
    player.show(watched, present=True)


def _words(lesson: Lesson) -> PlayerRequest:
    """The text, the question with its answer, and what may be changed."""
    with st.popover("Text"):
        st.markdown(lesson.text)
    if lesson.question is not None:
        with st.popover("Question"):
            lesson_view.question(lesson)
    variant = lesson_view.AS_GIVEN
    if lesson.change is not None:
        with st.popover("Change"):
            variant = lesson_view.change(lesson)
            lesson_view.conclusion(lesson)
    return lesson_view.asked(lesson, variant)


def offer(watched: PlayerRequest, title: str) -> None:
    """To present what is watched, and to save its steps."""
    with st.container(horizontal=True):
        st.button("Present", icon=":material/present_to_all:", on_click=_set, args=(True,))
        data = player.data_of(watched)
        controls.download(
            "Steps as an animated SVG",
            lambda: animated_svg(data, title).encode(),
            f"{charts.file_name(title)}.svg",
            help="One picture that plays by itself in slides and browsers.",
        )


def _set(value: bool) -> None:
    if value:
        st.query_params[PRESENT] = "1"
    else:
        st.query_params.pop(PRESENT, None)
