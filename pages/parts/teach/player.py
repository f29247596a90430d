"""The steps in the browser: one component that has all of them, so that a step is drawn at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.shared import planning
from pages.parts.shared.state import BY_DIGEST
from pages.parts.start.workload_picture import GREY, colours
from planner.files.tuple_table import Table
from planner.seconds.calibration import calibrated_units, calibration_stamp
from planner.workload.workload import Workload
from runtime.tracing.player_data import player_data
from runtime.tracing.session import Watching, watch

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class PlayerRequest:
    """What is to be watched; tuples are generated unless they are given."""

    workload: Workload
    plans: tuple[str, ...]
    steps: int
    family: str | None = None
    tables: Mapping[str, Table] | None = None
    full: bool = True
    show: tuple[str, ...] = ()
    name: str = ""
    counter: str | None = None

    @property
    def id(self) -> str:
        """The same for the same steps: the browser keeps its place among them."""
        parts = (
            self.workload.digest, self.plans, self.steps, self.family, self.name, self.full,
            self.show, self.counter, calibration_stamp(),
            [(name, _content(table)) for name, table in sorted((self.tables or {}).items())],
        )  # fmt: skip
        return hashlib.blake2s(repr(parts).encode(), digest_size=8).hexdigest()


def _content(table: Table) -> list[object]:
    """All that is in a table."""
    times = [part.tolist() for part in (table.ts, table.begin, table.end) if part is not None]
    columns = [
        (name, column.values.tolist(), None if column.valid is None else column.valid.tolist())
        for name, column in table.columns.items()
    ]
    return [times, columns]


_BY_ID = {**BY_DIGEST, PlayerRequest: lambda asked: asked.id}


@st.cache_resource(show_spinner="Stepping the plans …", max_entries=16, hash_funcs=_BY_ID)
def watching(asked: PlayerRequest) -> Watching:
    """The steps of the plans, with what the model predicts."""
    return watch(
        asked.workload, asked.plans, asked.steps, asked.family, asked.tables, asked.full,
        units=calibrated_units(), by=asked.counter,
    )  # fmt: skip


@st.cache_data(show_spinner=False, max_entries=16, hash_funcs=_BY_ID)
def data_of(asked: PlayerRequest) -> dict[str, Any]:
    """All that is drawn."""
    found = watching(asked)
    shown = asked.show or _keys(asked.workload)
    made = player_data(found, shown)
    for plan, trace in zip(made["plans"], found.traces, strict=True):
        plan["label"] = planning.title(trace.plan.family, trace.plan.label, asked.workload)
    # A stream has the colour that it has on the canvas below.
    by_stream = colours(asked.workload)
    made["colours"] = [by_stream.get(source, GREY) for source in made["sources"]]
    return made | {"id": asked.id}


def _keys(workload: Workload) -> tuple[str, ...]:
    """The attributes that tuples are joined by, or else all of the first stream's."""
    columns = [c for q in workload.queries for p in q.predicates for c in (p.left, p.right)]
    names = tuple(dict.fromkeys(column.attribute for column in columns))
    return names or tuple(workload.streams[0].attributes)[:2]


@cache
def _component() -> Any:
    return st.components.v2.component(
        "sluice-teach",
        js=(_HERE / "player.js").read_text(),
        css=(_HERE / "player.css").read_text(),
    )


def show(asked: PlayerRequest, present: bool = False) -> None:
    """The player."""
    data = data_of(asked)
    _component()(data=data | {"present": present}, key="teach-player")
    if present:
        return
    if not data["drawn"]:
        st.caption(
            "Nothing is drawn of these plans: their work depends on a processor that is measured, "
            "not simulated. What is counted is there."
        )
    if not data["full"]:
        why = "its tuples are given one by one" if asked.tables else "windows begin empty here"
        st.caption(f"Nothing is predicted: {why}, and the model speaks of full windows.")
