"""The user's own data: a folder or uploaded files, and what was inferred from them."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.parts.shared import controls, planning, samples, state
from pages.parts.shared.formatting import plain
from planner.errors import PlanError, RunError
from planner.files.whole_files import write_whole
from planner.numbers import amount
from planner.workload.validation import listed
from planner.workload.workload import Workload
from runtime.data.folders import home
from runtime.data.private_folders import make_private

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


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
                f"does not belong to a stream; name each file after one: {listed(known)}", file.name
            )
    uploads = home() / "uploads"
    folder = uploads / uuid.uuid4().hex[:12]
    try:
        make_private(home())
        make_private(uploads)
        delete_expired(uploads, time.time())
        folder.mkdir()
        for file in files:
            name = Path(file.name)
            write_whole(folder / f"{name.stem}{name.suffix.lower()}", file.getvalue())
    except OSError as error:
        raise RunError(f"cannot be saved: {error.strerror}", "upload") from error
    return folder


# Uploads are deleted when others come so long after them.
UPLOAD_DAYS = 30


def delete_expired(uploads: Path, now: float) -> None:
    """Delete what was uploaded too long ago."""
    for folder in uploads.iterdir():
        if now - folder.lstat().st_mtime > UPLOAD_DAYS * 86_400:
            shutil.rmtree(folder)


_SAMPLE = "sample:"


def show() -> None:
    """Where tuples and statistics come from, with forms for own data."""
    folder, sort = state.data()
    if folder is None:
        st.markdown("Tuples are **generated** with the rates and distributions of the streams.")
    else:
        st.markdown(f"Tuples come from **{plain(str(folder), 200)}**.")
        st.button("Generate tuples instead", on_click=state.use_data, args=(None,))
    left, right = st.columns(2, gap="medium")
    with left:
        _folder_box(sort)
    with right:
        _upload_box(sort)
    sort = st.toggle("Accept rows that are not in ts order", value=sort, key=f"sort-{folder}")
    if (folder, sort) != state.data():
        state.use_data(folder, sort)
        st.rerun()
    with controls.shown():
        provenance()


def _folder_box(sort: bool) -> None:
    with st.form("data-folder", border=False):
        text = st.text_input("A folder with one CSV or Parquet file per stream")
        if st.form_submit_button("Use this folder"):
            with controls.shown():
                _use(allowed_folder(text), sort)


def _upload_box(sort: bool) -> None:
    with st.form("data-upload", border=False, clear_on_submit=True):
        files = st.file_uploader(
            "Or upload the files, named after their streams",
            type=["csv", "parquet"],
            accept_multiple_files=True,
        )
        if st.form_submit_button("Use these files") and files:
            with controls.shown():
                _use(keep_data(files, state.workload()), sort)


def _use(folder: Path, sort: bool) -> None:
    """Use this folder if its data can be read."""
    planning.own_statistics(state.workload(), folder, sort)
    state.use_data(folder, sort)
    st.rerun()


def _roots() -> list[Path]:
    root = os.environ.get("SLUICE_DATA_ROOT")
    return [*([Path(root).resolve()] if root else []), home()]


def allowed_folder(text: str) -> Path:
    """The typed folder, which must be inside the data folder or the data root."""
    roots = _roots()
    try:
        folder = (roots[0] / text.strip()).resolve()
        inside = any(folder.is_relative_to(allowed) for allowed in roots) and bool(text.strip())
        there = inside and folder.is_dir()
    except (OSError, ValueError) as error:
        raise PlanError(f"is not a path: {error}", "data folder") from error
    if not inside:
        places = " or ".join(str(allowed) for allowed in roots)
        raise PlanError(
            f"must be inside {places}; put the files there, or start with --data-root",
            "data folder",
        )
    if not there:
        raise PlanError("is not a folder; give the folder with the files", str(folder))
    return folder


def name_of(folder: Path) -> str | None:
    """The name of this folder in a link; None where a link may not name it."""
    for sample in samples.every():
        if sample.data == folder:
            return _SAMPLE + sample.id
    inside = [root for root in _roots() if folder.is_relative_to(root)]
    return str(folder.relative_to(inside[0])) if inside else None


def named(name: str) -> Path:
    """The folder that a link names, checked as if typed: anyone may have written the link."""
    sample = samples.find(name.removeprefix(_SAMPLE)) if name.startswith(_SAMPLE) else None
    if sample is not None and sample.data is not None:
        return sample.data
    try:
        return allowed_folder(name)
    except PlanError:
        return allowed_folder(f"{home()}/{name}")


def provenance() -> None:
    """Every statistic, its value, and where it comes from."""
    workload = state.workload()
    folder, sort = state.data()
    if folder is not None:
        for warning in planning.own_statistics(workload, folder, sort)[2]:
            st.warning(plain(warning, 400), icon=":material/warning:")
    rows = planning.origins(workload)
    controls.table(
        pd.DataFrame(
            {
                "Statistic": [row.place for row in rows],
                "Value": [_value(row.value) for row in rows],
                "Source": [row.origin for row in rows],
                "Detail": [row.detail for row in rows],
            }
        ),
        "Statistics and where they come from",
    )


def _value(value: float | str | None) -> str:
    if value is None:
        return "unknown"
    return value if isinstance(value, str) else amount(value)
