"""Files from the user's browser: a workload to open, or data to plan and run with."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import messages, state
from planner.checks import listed
from planner.errors import PlanError, RunError
from planner.workload import Workload
from planner.workload_file import load_workload
from runtime.home import home

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def open_workload_file() -> None:
    """Open the workload of an uploaded file and lead to its plans; a mistake is shown in place."""
    file = st.file_uploader("A workload as YAML or JSON", type=["yaml", "yml", "json"])
    if file is None or st.session_state.get("opened_file") == file.file_id:
        return
    with messages.shown():
        workload = load_workload(file.getvalue(), file.name)
        # The file stays in its box: without this, coming back would open it again.
        st.session_state["opened_file"] = file.file_id
        state.open_workload(workload)
        st.switch_page("pages/plans.py")


def keep_data(files: Sequence[UploadedFile], workload: Workload) -> Path:
    """Store uploaded data in a folder of ours; every file must belong to a stream or relation.

    A name is accepted only if it is that of a stream, so no name can lead out of the folder.
    """
    known = [stream.name for stream in workload.streams]
    known += [relation.name for relation in workload.relations]
    for file in files:
        stem = Path(file.name).stem
        if stem not in known or Path(stem).name != stem:
            raise PlanError(
                f"belongs to no stream; name each file after one: {listed(known)}", file.name
            )
    folder = home() / "uploads" / uuid.uuid4().hex[:12]
    try:
        folder.mkdir(parents=True)
        for file in files:
            name = Path(file.name)
            (folder / f"{name.stem}{name.suffix.lower()}").write_bytes(file.getvalue())
    except OSError as error:
        raise RunError(f"cannot be stored: {error.strerror}", "upload") from error
    return folder
