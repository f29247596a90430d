"""The worked examples of a paper: lessons that step through them."""

from __future__ import annotations

import streamlit as st

from pages.parts.shared.formatting import plain
from pages.parts.teach import choices


def links(paper: str) -> None:
    """Links to the lessons of a paper; nothing where there are none."""
    found = [lesson for lesson in choices.known() if lesson.paper == paper]
    if not found:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Worked examples**", width="content")
        for lesson in found:
            st.page_link(
                "pages/teach.py",
                label=plain(f"{lesson.place}: {lesson.title}", 120),
                icon=":material/school:",
                query_params={choices.LESSON: lesson.name},
                width="content",
            )
