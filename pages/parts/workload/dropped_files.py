"""Dropped files: what was read from them, how they are joined, and the workload they make."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from pages.parts.shared import controls, planning, state
from pages.parts.shared.formatting import counted, plain, rate_text, span_text
from pages.parts.workload import own_data, source_picture
from planner.errors import SluiceError
from planner.files.dropped.dropped_file import (
    DroppedFile,
    DroppedSource,
    as_source,
    named_apart,
    read_dropped,
)
from planner.files.dropped.first_workload import apart_in_time, check_sources, first_workload
from planner.files.dropped.profile import key_counts, rate_bins
from planner.files.dropped.shared_keys import KeyPair, joinable, suggested_links
from planner.files.dropped.time_columns import TimeReading
from planner.numbers import amount
from planner.workload.validation import listed
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

T = TypeVar("T")
_A_ROW = 3
# A file offers at most so many readings of its time, and two files so many pairs of columns.
_MOST_OFFERED = 30
# What is made of the files stays in the session, so that a click reads nothing again.
_KEPT, _MOST_KEPT = "dropped", 60


def pick(label: str, key: str) -> list[UploadedFile]:
    """A box that files are dropped into."""
    files = st.file_uploader(label, accept_multiple_files=True, key=key)
    if not files:
        st.session_state.pop(_KEPT, None)
    return files


def review(files: Sequence[UploadedFile], known: Sequence[str] = ()) -> None:
    """What the files hold and how they are joined, with the verdict and a button that opens it.

    `known` are the sources of the open workload, where the files may be its data.
    """
    read = {file.file_id: _once(("read", file.file_id), partial(_read, file)) for file in files}
    for error in read.values():
        if isinstance(error, SluiceError):
            controls.show(error)
    ids = [file_id for file_id, file in read.items() if isinstance(file, DroppedFile)]
    found = named_apart([f for f in read.values() if isinstance(f, DroppedFile)], known)
    if not found:
        return
    # All that is made of the files depends on these alone.
    keys = tuple((at, file.name, _time(file)) for at, file in zip(ids, found, strict=True))
    with controls.shown():
        sources = [
            _once(("source", key), partial(as_source, file, key[2]))
            for key, file in zip(keys, found, strict=True)
        ]
        pairs = _once(("links", keys), lambda: suggested_links(sources))
        links = [_chosen_pair(offered) for offered in pairs]
        answer = st.container()
        _cards(found, sources, links)
        if warning := apart_in_time(sources):
            st.warning(plain(warning, 300), icon=":material/warning:")
        if known:
            _offer_data(sources, known)
        joined, apart = joinable(sources, pairs)
        if len(joined) > 1 and apart:
            st.warning(
                f"Left out, since no column can be joined with another file: "
                f"{plain(listed(source.file for source in apart), 300)}.",
                icon=":material/warning:",
            )
        else:
            joined = list(sources)
        names = {source.name for source in joined}
        links = [pair for pair in links if names.issuperset(pair.sources)]
        check_sources(joined, links)
        _pick_pairs([offered for offered in pairs if names.issuperset(offered[0].sources)])
        folder = _once(("folder", keys), lambda: own_data.stored(joined))
        made = ("workload", keys, tuple(map(str, links)))
        name = ", ".join(source.name for source in joined)[:100]
        workload = _once(made, lambda: first_workload(name, joined, links))
        st.code(workload.queries[0].text, language="sql", wrap_lines=True)
        with answer, controls.shown():
            _offer(workload, folder, primary=not known)


def _once(key: Hashable, make: Callable[[], T]) -> T:
    """What was made for this key before, or is made now: a click reads no file again."""
    kept: dict[Hashable, Any] = st.session_state.setdefault(_KEPT, {})
    if key not in kept:
        kept[key] = make()
        # What was made first may belong to files that are no longer there.
        while len(kept) > _MOST_KEPT:
            del kept[next(iter(kept))]
    found: T = kept[key]
    return found


def _read(file: UploadedFile) -> DroppedFile | SluiceError:
    with st.spinner(f"Reading {plain(file.name)}"):
        try:
            return read_dropped(file.getvalue(), file.name)
        except SluiceError as error:
            return error


def _time_key(file: DroppedFile) -> str:
    return f"time-of-{file.name}"


def _time(file: DroppedFile) -> TimeReading | None:
    """How the time of a file is read: as chosen, or as guessed."""
    chosen = st.session_state.get(_time_key(file), file.time.guess)
    return chosen if chosen in file.time.readings else None


def _cards(
    files: Sequence[DroppedFile], sources: Sequence[DroppedSource], links: Sequence[KeyPair]
) -> None:
    keys = {side.source: side.column for pair in links for side in (pair.right, pair.left)}
    for first in range(0, len(files), _A_ROW):
        for column, place in zip(st.columns(_A_ROW), range(first, len(files)), strict=False):
            with column.container(border=True, height="stretch"):
                _card(place, files[place], sources[place], keys.get(sources[place].name))


def _card(place: int, file: DroppedFile, source: DroppedSource, key: str | None) -> None:
    kind = "stream" if source.is_stream else "table without times"
    rows = counted(source.table.num_rows, "row")
    st.markdown(f"**{plain(source.name)}** · {kind} · {rows}")
    rates = [] if source.micros is None else rate_bins(source.micros, source_picture.BINS)
    counts: list[int] = []
    captions = ("no times", "")
    if rates:
        captions = (f"{rate_text(source.rate)} over {span_text(source.seconds)}", "")
    if key is not None:
        counts, distinct = key_counts(source.table[key], source_picture.KEYS)
        captions = (captions[0], f"{amount(distinct)} values of {key}"[:26])
    st.image(
        source_picture.picture(place, rates, counts, captions),
        width="stretch",
        alt=f"{source.name}: {', '.join(filter(None, captions))}",
    )
    st.selectbox(
        "Time",
        [None, *file.time.readings[:_MOST_OFFERED]],
        index=0 if file.time.guess is None else 1,
        key=_time_key(file),
        format_func=lambda reading: "none: a table to look up" if reading is None else str(reading),
    )
    about = file.format
    if source.micros is not None:
        first = datetime.fromtimestamp(int(source.micros[0]) / 1e6, UTC)
        about = f"{about} · from {first:%-d %b %Y, %H:%M:%S} UTC"
    st.caption(plain(about, 200))
    for notice in source.notices:
        st.caption(f":material/info: {plain(notice, 300)}")


def _pair_key(pairs: Sequence[KeyPair]) -> str:
    return "joined-on-" + "-".join(pairs[0].sources)


def _chosen_pair(pairs: Sequence[KeyPair]) -> KeyPair:
    chosen = st.session_state.get(_pair_key(pairs))
    return next((pair for pair in pairs if str(pair) == chosen), pairs[0])


def _pick_pairs(links: Sequence[Sequence[KeyPair]]) -> None:
    """Which columns each two files are joined on."""
    columns = st.columns(2)
    for place, pairs in enumerate(links):
        shared = {
            str(pair): f"{pair} · {amount(pair.common)} of {amount(pair.smaller)} values match"
            for pair in pairs[:_MOST_OFFERED]
        }
        with columns[place % 2]:
            st.selectbox(
                "Joined on", list(shared), key=_pair_key(pairs), format_func=shared.__getitem__
            )


def _offer(workload: Workload, folder: Path, primary: bool) -> None:
    """The verdict on the plans of the first query, and the button that opens the workload."""
    verdict = planning.verdict_on(workload, folder)
    answer = verdict if primary else f"As a new workload: {verdict}"
    st.success(plain(answer, 800), icon=":material/account_tree:")
    if st.button(
        "See the plans" if primary else "Make this a new workload",
        type="primary" if primary else "secondary",
        icon=":material/arrow_forward:",
    ):
        state.open_workload(workload, folder)
        st.switch_page("pages/plans.py")


def _offer_data(sources: Sequence[DroppedSource], known: Sequence[str]) -> None:
    """The files as data of the open workload, where they have the names of its sources."""
    missing = [name for name in known if name not in {source.name for source in sources}]
    if missing:
        st.caption(
            plain(
                f"To use files with the open workload, name them after its sources. Missing: "
                f"{listed(missing)}.",
                300,
            )
        )
    elif st.button("Use with the open workload", type="primary", icon=":material/check:"):
        folder = own_data.stored(sources)
        planning.own_statistics(state.workload(), folder, False)
        state.use_data(folder)
        st.rerun()
