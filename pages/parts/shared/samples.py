"""The sample workloads, in the order of their cards."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import streamlit as st

from planner.files.safe_yaml import read_yaml
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload

FOLDER = Path(__file__).resolve().parents[3] / "sample_data"
START = Path(__file__).parents[1] / "start" / "start.yaml"


_OWN_DATA = "-own-data"
_EDITED = " (edited)"


class SampleWorkload(NamedTuple):
    """A workload that comes with Sluice; its id is the name of its file."""

    id: str
    workload: Workload
    data: Path | None


@cache
def start_page() -> dict[str, Any]:
    """What the start page shows."""
    return cast(Any, read_yaml(START.read_bytes()))


@st.cache_resource(show_spinner=False)
def every() -> tuple[SampleWorkload, ...]:
    """All samples, read once."""
    files = {file.stem: file for file in FOLDER.glob("*.yaml")}
    first = [name for row in start_page()["rows"] for names in row.values() for name in names]
    known = [name for name in (*first, *start_page()["more"]) if name in files]
    names = [*known, *sorted(files.keys() - set(known))]
    return tuple(_read(files[name]) for name in names)


def rows() -> list[dict[str, list[SampleWorkload]]]:
    """The samples to begin with, by what they teach, in rows."""
    return [
        {subject: [s for s in map(find, names) if s is not None] for subject, names in row.items()}
        for row in start_page()["rows"]
    ]


def more() -> list[SampleWorkload]:
    """All other samples."""
    first = {sample.id for row in rows() for shown in row.values() for sample in shown}
    return [sample for sample in every() if sample.id not in first]


def find(name: str) -> SampleWorkload | None:
    """The sample with this id."""
    return next((sample for sample in every() if sample.id == name), None)


def own_name(workload: Workload) -> Workload:
    """A changed sample gets another name, until the user names it."""
    for sample in every():
        name = sample.workload.name
        if workload.name in (name, f"{name}{_EDITED}"):
            unchanged = replace(workload, name=name) == sample.workload
            return replace(workload, name=name if unchanged else f"{name}{_EDITED}")
    return workload


def _read(file: Path) -> SampleWorkload:
    workload = load_workload(file.read_bytes(), file.name, file.parent)
    # A sample with a folder of its name runs on the files in it.
    folder = FOLDER / file.stem.removesuffix(_OWN_DATA)
    return SampleWorkload(file.stem, workload, folder if folder.is_dir() else None)
