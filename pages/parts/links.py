"""The workload in the address bar: a link opens it, and a reload does not lose it."""

from __future__ import annotations

import base64
import zlib

import streamlit as st

from pages.parts import samples, state
from planner.errors import PlanError
from planner.workload_file import dump_workload, load_workload

# Longer addresses are cut by browsers and mail programs on their way.
LONGEST = 6_000
MOST_BYTES = 200_000


def restore() -> None:
    """Open what the address names, when a session begins."""
    if "workload" in st.session_state:
        return
    named = samples.find(st.query_params.get("sample", ""))
    if named is not None:
        state.open_workload(named.workload, named.data)
    elif packed := st.query_params.get("workload"):
        state.open_workload(load_workload(_unpacked(packed), "the link"))


def keep() -> None:
    """Write the workload in force into the address, where it fits."""
    workload = state.workload()
    folder, _ = state.data()
    for sample in samples.every():
        if sample.workload == workload and sample.data == folder:
            _write("sample", sample.id)
            return
    packed = _packed(dump_workload(workload)) if folder is None else ""
    _write("workload", packed if len(packed) <= LONGEST else "")


def _write(name: str, value: str) -> None:
    wanted = {name: value} if value else {}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _packed(text: str) -> str:
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode()


def _unpacked(packed: str) -> str:
    """The text of a link. It may have been written by anyone: its size is bounded."""
    try:
        opened = zlib.decompressobj()
        text = opened.decompress(base64.urlsafe_b64decode(packed.encode()), MOST_BYTES)
        if opened.unconsumed_tail:
            raise PlanError("holds more than a workload; open the file instead", "the link")
        return text.decode()
    except (ValueError, zlib.error) as error:
        raise PlanError("is damaged; ask for it again, or open the file", "the link") from error
