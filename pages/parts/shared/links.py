"""The workload and the view in the address bar: a link opens them, a reload does not lose them."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping

import streamlit as st

from pages.parts.shared import backend, draft_store, samples, state, text_store, views
from pages.parts.shared.views import LONGEST_LABEL
from pages.parts.workload import own_data
from planner.errors import PlanError
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.workload import Workload

# Longer addresses are cut by browsers and mail programs on their way.
LONGEST = 6_000
MOST_BYTES = 200_000


def restore() -> None:
    """Open what the address names, when a session begins; a reload finds its run again."""
    if "workload" in st.session_state:
        return
    address = st.query_params.to_dict()
    if job_id := address.get("job"):
        backend.watch(job_id)
    if name := address.get("sample"):
        named = samples.find(name)
        if named is None:
            raise PlanError(f"there is no sample {name!r}; choose one on Start", "the link")
        state.open_workload(named.workload, named.data)
    elif text := _text(address):
        state.open_workload(load_workload(text, "the link"))
        if folder := address.get("data"):
            state.use_data(own_data.named(folder), "sort" in address)
    views.choose(address)
    if name := address.get("unfinished"):
        draft_store.restore(text_store.find(name, "unfinished"))


def keep() -> None:
    """Write the workload in force into the address, where it fits, what is chosen in it, and the
    name of what is not finished."""
    job = backend.job()
    wanted = {"job": job.id} if job is not None and not job.done else {}
    if not state.by_default():
        wanted |= query() or _kept_here()
    if (text := draft_store.text()) and (name := text_store.keep(text, "unfinished")):
        wanted["unfinished"] = name
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def query() -> dict[str, str] | None:
    """What a link to the workload and the view holds; None where the workload is too long."""
    workload = state.workload()
    folder, sort = state.data()
    view = {name: text for name, text in views.chosen().items() if len(text) <= LONGEST_LABEL}
    for sample in samples.every():
        if (sample.workload, sample.data, False) == (workload, folder, sort):
            return {"sample": sample.id, **view}
    link = packed(_file(workload))
    return None if len(link) > LONGEST else {"workload": link, **view, **_data()}


def _kept_here() -> dict[str, str]:
    """What finds a long workload again on this machine: it is no link for others."""
    name = text_store.keep(_file(state.workload()), "workloads")
    view = {name: text for name, text in views.chosen().items() if len(text) <= LONGEST_LABEL}
    return {} if name is None else {"kept": name, **view, **_data()}


def _file(workload: Workload) -> str:
    """The workload's file. Hundreds of queries take a while to be written: it is kept for this very
    workload, as two with one digest may differ in their words."""
    held, text = st.session_state.get("file of workload", (None, ""))
    if held is not workload:
        text = dump_workload(workload)
        st.session_state["file of workload"] = (workload, text)
    return text


def _data() -> dict[str, str]:
    folder, sort = state.data()
    if folder is None or not (name := own_data.name_of(folder)):
        return {}
    return {"data": name} | ({"sort": "yes"} if sort else {})


def _text(address: Mapping[str, str]) -> str | None:
    """The workload file that an address holds or names."""
    if link := address.get("workload"):
        return _unpacked(link)
    return text_store.find(address["kept"], "workloads") if "kept" in address else None


def packed(text: str) -> str:
    """A workload file as it stands in a link."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode()


def _unpacked(link: str) -> str:
    """The text of a link. It may have been written by anyone: its size is bounded."""
    try:
        opened = zlib.decompressobj()
        text = opened.decompress(base64.urlsafe_b64decode(link.encode()), MOST_BYTES)
        if opened.unconsumed_tail:
            raise PlanError("holds more than a workload; open the file instead", "the link")
        return text.decode()
    except (ValueError, zlib.error) as error:
        raise PlanError("is damaged; ask for it again, or open the file", "the link") from error
