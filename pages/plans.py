"""Plans: the answer, the chosen plan drawn, all plans ranked, and details on demand."""

import streamlit as st

from pages.parts.plans import explorer
from pages.parts.run import launch, queue_list
from pages.parts.shared import controls, heading, planning, seconds
from pages.parts.shared.formatting import plain

heading.show("Plans")
family, workload = planning.subject()
answer, _ = planning.explained(family.name, workload)
ranking = planning.ranking(family, workload, st.session_state.get("show-all", False))
what, other = planning.companion(ranking)

with st.container(border=True, gap="small"):
    st.markdown(f"###### {plain(answer, 800)}", anchors=False)
    if otherwise := planning.why(family.name, workload)[0]:
        st.markdown(plain(otherwise, 800))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        run = st.button(
            f"Run best and {what} on Spark",
            type="primary",
            icon=":material/play_arrow:",
            on_click=launch.launch,
            args=([ranking.best, other.label],),
        )
        st.caption(seconds.kernel_time(workload, ranking), width="stretch")
    queue_list.notice()
if run and (failure := launch.failure()):
    controls.show(failure)
elif run:
    st.switch_page("pages/run.py")

explorer.show(family, workload, ranking)
