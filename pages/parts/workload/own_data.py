"""The user's own data: a folder or uploaded files, and what was inferred from them."""

from __future__ import annotations

import os
import re
import shutil
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.parts.shared import controls, planning, samples, state
from pages.parts.shared.formatting import plain
from planner.errors import PlanError, RunError
from planner.files.dropped.dropped_file import DroppedSource
from planner.files.dropped.written import write_sources
from planner.numbers import amount
from runtime.data.folders import home
from runtime.data.private_folders import make_private


def stored(sources: Sequence[DroppedSource]) -> Path:
    """Store dropped files as own data, in a folder of ours."""
    uploads = home() / "uploads"
    folder = uploads / uuid.uuid4().hex[:12]
    try:
        make_private(home())
        make_private(uploads)
        delete_expired(uploads, time.time())
        folder.mkdir(mode=0o700)
        write_sources(folder, sources)
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
# How a statistic's place is written, and what it is called on pages.
_ATTRIBUTE = re.compile(r"(?:streams|relations)\.(.+)\.attributes\.(.+)\.(\w+)")
_OF_SOURCE = re.compile(r"(?:streams|relations)\.(.+?)\.((?:changes\.)?\w+)")
_OF_CONDITION = re.compile(r'statistics\.\w+\."(.+)"\.(\w+)')
_WORDS = {"distinct": "distinct values", "zipf": "Zipf exponent", "tuple_bytes": "tuple size"}


def is_upload(folder: Path) -> bool:
    """Whether the files in this folder were dropped."""
    return folder.parent == home() / "uploads"


def statistic_name(place: str) -> str:
    """What a statistic is called.

    >>> statistic_name("streams.orders.attributes.k.distinct"), statistic_name("streams.S1.rate")
    ('orders.k: distinct values', 'S1: rate')
    """
    if found := _ATTRIBUTE.fullmatch(place):
        return f"{found[1]}.{found[2]}: {_WORDS.get(found[3], found[3])}"
    if found := _OF_SOURCE.fullmatch(place) or _OF_CONDITION.fullmatch(place):
        word = found[2].removeprefix("changes.")
        return f"{found[1]}: {_WORDS.get(word, word)}"
    return place


def show() -> None:
    """Where tuples and statistics come from, with forms for own data."""
    folder, sort = state.data()
    if folder is None:
        st.markdown("Tuples are **generated** with the rates and distributions of the streams.")
    else:
        mine = "your files" if is_upload(folder) else plain(str(folder), 200)
        st.markdown(f"Tuples come from **{mine}**.")
        st.button("Generate tuples instead", on_click=state.use_data, args=(None,))
    _folder_box(sort)
    if folder is not None and not is_upload(folder):
        sort = st.toggle("Accept rows that are not in ts order", value=sort, key=f"sort-{folder}")
    if (folder, sort) != state.data():
        state.use_data(folder, sort)
        st.rerun()
    with controls.shown():
        provenance()


def sources() -> list[str]:
    """The names of the streams and relations that the queries of the open workload read."""
    used = (source.name for query in state.workload().queries for source in query.sources)
    return list(dict.fromkeys(used))


def _folder_box(sort: bool) -> None:
    with st.form("data-folder", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            text = st.text_input("Or a folder with one CSV or Parquet file per stream", width=420)
            asked = st.form_submit_button("Use this folder")
        if asked:
            with controls.shown():
                _use(allowed_folder(text), sort)


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
            f"must be inside {places}; move the files there, or drop them on the start page",
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
    # Of columns that no query reads, nothing is known and nothing is needed.
    rows = [row for row in planning.origins(workload) if folder is None or row.value is not None]
    controls.table(
        pd.DataFrame(
            {
                "Statistic": [statistic_name(row.place) for row in rows],
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
