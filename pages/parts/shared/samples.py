"""The sample workloads, in the order of their cards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from planner.files.workload_file import load_workload
from planner.workload.workload import Workload

FOLDER = Path(__file__).resolve().parents[3] / "sample_data"

# What samples teach, with the best ones of each subject.
JOINS, AGGREGATIONS, CHAINS, OWN = (
    "Which join order is cheapest?",
    "Aggregate before the join?",
    "Many queries, one join",
    "Data of your own",
)
_STORY = {
    JOINS: ("golab-table-5", "golab-table-7", "eight-way"),
    AGGREGATIONS: ("network-packets", "auctions"),
    CHAINS: ("temperature-humidity", "two-hundred-alerts"),
    OWN: ("sensors-own-data",),
}
_MORE = (
    "thirty-six-windows",
    "sensor-join",
    "golab-table-6",
    "network-links",
    "lazy-join",
    "shop-alerts",
    "customer-flows",
)
_OWN_DATA = "-own-data"
_EDITED = " (edited)"


class Sample(NamedTuple):
    """A workload that comes with Sluice; its id is the name of its file."""

    id: str
    workload: Workload
    data: Path | None


@st.cache_resource(show_spinner=False)
def every() -> tuple[Sample, ...]:
    """All samples, read once."""
    files = {file.stem: file for file in FOLDER.glob("*.yaml")}
    story = [*(name for names in _STORY.values() for name in names), *_MORE]
    known = [name for name in story if name in files]
    names = [*known, *sorted(files.keys() - set(known))]
    return tuple(_read(files[name]) for name in names)


def by_subject() -> dict[str, list[Sample]]:
    """The samples to begin with, by what they teach."""
    known = {sample.id: sample for sample in every()}
    return {
        subject: [known[name] for name in names if name in known]
        for subject, names in _STORY.items()
    }


def more() -> list[Sample]:
    """All other samples."""
    first = {sample.id for shown in by_subject().values() for sample in shown}
    return [sample for sample in every() if sample.id not in first]


def find(name: str) -> Sample | None:
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


def _read(file: Path) -> Sample:
    workload = load_workload(file.read_bytes(), file.name)
    folder = FOLDER / file.stem.removesuffix(_OWN_DATA)
    own = file.stem.endswith(_OWN_DATA) and folder.is_dir()
    return Sample(file.stem, workload, folder if own else None)
