"""The workload, the view and unfinished edits in the address bar: for links, and for reloads.

What is too long for an address is kept in the data folder under a short name. Addresses and files
may have been written by anyone, so everything in them is checked.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from typing import Any, Literal

import streamlit as st

from pages.parts.run import run_choices
from pages.parts.shared import backend, samples, state, views
from pages.parts.workload import drafts, own_data, query_editors
from pages.parts.workload.link_text import packed, unpacked
from planner.errors import PlanError
from planner.files.whole_files import read_text_if_whole, write_whole
from planner.files.workload_file import dump_workload, load_workload
from planner.workload.workload import Workload
from runtime.data.folders import home
from runtime.data.private_folders import make_private

logger = logging.getLogger(__name__)

Kind = Literal["workloads", "unfinished"]
# Longer addresses are cut by browsers and mail programs on their way.
LONGEST = 6_000
MOST_BYTES = 200_000
# Every change is kept under its own name; the oldest are deleted.
MOST_KEPT = 200
_NAME = re.compile(r"[0-9a-f]{16}")
_OF_LESSONS = ("lesson", "present")
_DRAFT, _NEW, _FILE, _WINDOWS, _RUN = "draft", "new", "file", "windows", "run"
_DAMAGED = PlanError("is damaged; unfinished edits are lost", "the address")


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
        _restore_unfinished(_find(name, "unfinished"))


def keep() -> None:
    """Write the open workload, the view and the name of unfinished edits into the address."""
    job = backend.job()
    wanted = {"job": job.id} if job is not None and not job.done else {}
    if not state.by_default():
        wanted |= query() or _kept_here()
    # The lesson that the Teach page has open, and whether it is presented.
    wanted |= {key: st.query_params[key] for key in _OF_LESSONS if key in st.query_params}
    if (text := _unfinished()) and (name := _keep(text, "unfinished")):
        wanted["unfinished"] = name
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def query() -> dict[str, str] | None:
    """The parameters of a link to the workload and the view; None if the workload is too long."""
    workload = state.workload()
    folder, sort = state.data()
    view = views.short()
    for sample in samples.every():
        if (sample.workload, sample.data, False) == (workload, folder, sort):
            return {"sample": sample.id, **view}
    link = packed(_file(workload))
    return None if len(link) > LONGEST else {"workload": link, **view, **_data()}


def _kept_here() -> dict[str, str]:
    """The parameters that find a long workload on this machine; not a link for others."""
    name = _keep(_file(state.workload()), "workloads")
    return {} if name is None else {"kept": name, **views.short(), **_data()}


def _file(workload: Workload) -> str:
    """The workload as a file, kept for this object: writing hundreds of queries takes a while, and
    two workloads with one digest may differ in their names."""
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
        return unpacked(link, MOST_BYTES, "a workload")
    return _find(address["kept"], "workloads") if "kept" in address else None


def _keep(text: str, kind: Kind) -> str | None:
    """Keep a text in the data folder and return its name; None if it cannot be written."""
    name = _name_of(text)
    file = home() / kind / f"{name}.yaml"
    if _kept(name, kind) is not None:
        return name
    try:
        make_private(home())
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
        newest = sorted(file.parent.glob("*.yaml"), key=lambda kept: -kept.stat().st_mtime)
        for old in newest[MOST_KEPT:]:
            old.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("a reload will lose the edits: %s", error)
        return None
    return name


def _find(name: str, kind: Kind) -> str:
    """The text that is kept under this name."""
    text = _kept(name, kind) if _NAME.fullmatch(name) else None
    if text is None:
        raise PlanError("is no longer kept here; open the file instead", "the address")
    return text


def _kept(name: str, kind: Kind) -> str | None:
    """The text in the file of this name, which is its digest; None where it is not that text."""
    return read_text_if_whole(home() / kind / f"{name}.yaml", lambda text: _name_of(text) == name)


def _name_of(text: str) -> str:
    return hashlib.blake2s(text.encode(), digest_size=8).hexdigest()


def _unfinished() -> str:
    """Edits with mistakes, and choices for a run that has not started; empty if there are none."""
    found: dict[str, Any] = {}
    if (draft := drafts.mistaken()) is not None:
        found[_DRAFT] = draft
        found[_NEW] = drafts.is_new()
    if typed := state.drafts().get("file"):
        found[_FILE] = typed
    if windows := query_editors.typed_windows():
        found[_WINDOWS] = windows
    if choices := run_choices.chosen():
        found[_RUN] = choices
    return json.dumps(found, sort_keys=True) if found else ""


def _restore_unfinished(kept: str) -> None:
    """Restore unfinished edits of the open workload."""
    state.workload()
    try:
        found = json.loads(kept)
    except ValueError as error:
        raise _DAMAGED from error
    if not isinstance(found, dict):
        raise _DAMAGED
    if isinstance(draft := found.get(_DRAFT), dict):
        drafts.restore(draft, found.get(_NEW) is True)
    if isinstance(typed := found.get(_FILE), str):
        state.drafts()["file"] = typed
    if isinstance(windows := found.get(_WINDOWS), Mapping):
        query_editors.restore_windows(windows)
    if isinstance(choices := found.get(_RUN), Mapping):
        run_choices.restore(choices)
