"""Run: what goes on and what waits, with progress and cancel buttons; then which plans to run."""

import streamlit as st

from pages.parts.run import endings, interrupted, live_changes, progress, queue_list, run_form
from pages.parts.shared import backend, heading

heading.show("Run")
job = backend.watched()
ended = backend.ended()
for done in ended:
    live_changes.adopt(done)
if job is not None and job.done and endings.leads_to_results(job):
    st.switch_page("pages/results.py")

for done in ended:
    endings.show(done)
going = job is not None and not job.done
if job is not None and going:
    live_changes.form(job.id)
    progress.live(job.id)
interrupted.show()
if not going:
    queue_list.elsewhere()
waits = bool(backend.runner().active())
with st.container(border=waits):
    if waits:
        st.markdown("#### Run more plans", anchors=False)
    run_form.show(waits)
