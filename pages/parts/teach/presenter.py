"""The presenter's view: large type, few words, no menus; and the steps as a file for slides."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared import controls
from pages.parts.shared.formatting import plain
from pages.parts.teach import lesson_view, player
from pages.parts.teach.animated_svg import animated_svg
from runtime.tracing.lesson_file import Lesson

PRESENT = "present"
_QUIET = """<style>
[data-testid=stHeader], [data-testid=stToolbar] { display: none; }
[data-testid=stMainBlockContainer] { padding: 12px 24px; }
</style>"""


def is_on() -> bool:
    """Whether the address or a click asks for it."""
    return PRESENT in st.query_params


def show(lesson: Lesson | None) -> None:
    """The steps of a lesson, as large as they get."""
    if lesson is None:
        _set(False)
        st.rerun()
    st.html(_QUIET)
    asks = lesson.question.ask if lesson.question is not None else lesson.title
    words, leave = st.columns([12, 1], vertical_alignment="center")
    words.markdown(f"### {plain(asks, 200)}", anchors=False)
    leave.button("Leave", on_click=_set, args=(False,), type="tertiary")
    player.show(lesson_view.asked(lesson), present=True)


def offer(lesson: Lesson) -> None:
    """To present a lesson, and to save its steps."""
    with st.container(horizontal=True):
        st.button("Present", icon=":material/present_to_all:", on_click=_set, args=(True,))
        asked = lesson_view.asked(lesson)
        data = player.data_of(asked)
        controls.download(
            "Steps as an animated SVG",
            lambda: animated_svg(data, lesson.title).encode(),
            f"{lesson.name}.svg",
            help="One picture that plays by itself in slides and browsers.",
        )


def _set(value: bool) -> None:
    if value:
        st.query_params[PRESENT] = "1"
    else:
        st.query_params.pop(PRESENT, None)
