"""Editable tables over the draft: streams, relations, attributes, and how windows are probed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts.shared import controls, planning, state
from pages.parts.workload import drafts
from pages.parts.workload.arrival_text import shape_part, shape_text
from pages.parts.workload.drafts import Parts
from planner.errors import PlanError, SluiceError
from planner.workload.query import Source
from planner.workload.streams import Relation, Stream
from planner.workload.workload import Workload

_NUMBERS = {
    "rate",
    "burst",
    "phase",
    "tuple_bytes",
    "rows",
    "inserts",
    "deletes",
    "distinct",
    "measured",
    "zipf",
}
_PER_VALUE = "per-value"
# What the user's own data say; it is not edited.
MEASURED = "measured"


def show_streams() -> None:
    """Streams with rate and arrivals."""
    rates = {known.name: known.rate for known in _filled_sources() if isinstance(known, Stream)}
    rows = [
        _stream_row(part) | {MEASURED: rates.get(str(part.get("name")))}
        for part in drafts.parts().get("streams", [])
    ]
    _edit_rows("streams", rows, with_streams)


def show_relations() -> None:
    """Relations with rows, inserts and deletes."""
    _edit_rows("relations", map(_relation_row, drafts.parts().get("relations", [])), with_relations)


def show_attributes() -> None:
    """Attributes of streams and relations: distinct values and their distribution."""
    measured = {
        (source.name, name): attribute.distinct
        for source in _filled_sources()
        for name, attribute in source.attributes.items()
    }
    rows = [
        _attribute_row(*row) | {MEASURED: measured.pop(row[:2], None)}
        for row in _attributes(drafts.parts())
    ]
    rows += [
        _attribute_row(*place, {}) | {MEASURED: distinct} for place, distinct in measured.items()
    ]
    names = [str(part.get("name")) for part in _sources(drafts.parts())]
    _edit_rows("attributes", rows, with_attributes, {"source": {"options": names}})


def _filled_sources() -> list[Stream | Relation]:
    """Streams and relations as the user's data fill them; none without data that can be read."""
    folder, sort = state.data()
    if folder is None or drafts.is_new():
        return []
    try:
        filled, _, _ = planning.own_statistics(state.workload(), folder, sort)
    except SluiceError:
        # The head of the page says what is wrong with them.
        return []
    return [*filled.streams, *filled.relations]


def _edit_rows(
    name: str,
    rows: Iterable[dict[str, Any]],
    apply: Callable[[Parts, pd.DataFrame], Parts],
    changed: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> None:
    """A table with a row for each part of the draft; rows can be added and deleted."""
    columns = controls.described_columns(name, changed)
    rows = list(rows)
    if not any(row.get(MEASURED) for row in rows):
        columns.pop(MEASURED, None)

    def build() -> pd.DataFrame:
        """Its index is the place of each row in the draft."""
        kinds = {column: "float64" if column in _NUMBERS else "object" for column in columns}
        return pd.DataFrame(rows, columns=list(columns)).astype(kinds)

    edit(name, build, apply, columns, num_rows="dynamic", placeholder="–", alt=name)


def edit(
    name: str,
    build: Callable[[], pd.DataFrame],
    apply: Callable[[Parts, pd.DataFrame], Parts],
    columns: dict[str, Any],
    **settings: Any,
) -> None:
    frame, key = drafts.base(name, build)
    edited = st.data_editor(frame, key=key, hide_index=True, column_config=columns, **settings)
    drafts.showing(name, edited)
    touched = any(st.session_state[key].values())
    if touched and (changed := apply(drafts.parts(), edited)) != drafts.parts():
        drafts.change(changed, name)
        st.rerun()


def _rows(frame: pd.DataFrame) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows with their given values; whole numbers as integers."""
    for place, row in frame.iterrows():
        given = {str(name): value for name, value in row.items() if not pd.isna(value)}
        whole = {n: int(v) for n, v in given.items() if isinstance(v, float) and v.is_integer()}
        yield int(str(place)), given | whole


def _merged(old: Parts, given: dict[str, Any]) -> Parts:
    """The old part with these keys set, and those that are None left out."""
    return {name: value for name, value in (old | given).items() if value is not None}


def _old(parts: list[Parts], place: int) -> Parts:
    return parts[place] if place < len(parts) else {}


def _stream_row(part: Parts) -> dict[str, Any]:
    arrivals = part.get("arrivals", "poisson")
    own = arrivals if isinstance(arrivals, dict) else {arrivals: {}}
    kind = next((name for name in ("pareto", "regular") if name in own), "poisson")
    manner = own.get(kind) or {}
    given = {"arrivals": kind, "burst": manner.get("burst"), "phase": manner.get("phase")}
    return {**part, **given, "shape": shape_text(arrivals)}


def with_streams(parts: Parts, frame: pd.DataFrame) -> Parts:
    """The draft with the streams of the table; what the table does not show is kept."""
    streams = []
    for place, row in _rows(frame):
        row.pop(MEASURED, None)
        old = _old(parts["streams"], place).get("arrivals")
        shape = shape_part(row.pop("shape", None), old)
        manner = [row.pop(name, None) for name in ("arrivals", "burst", "phase")]
        arrivals = _arrivals(manner, shape)
        cleared = {"name": "", "rate": None, "tuple_bytes": None}
        cleared |= {"importance": None} if "importance" in frame else {}
        streams.append(
            _merged(_old(parts["streams"], place), cleared | row | {"arrivals": arrivals})
        )
    return {**parts, "streams": streams}


def _arrivals(manner: Iterable[Any], shape: dict[str, Any]) -> Any:
    """How the file says it, from the kind, the burst and the phase; None for the usual way."""
    kind, burst, phase = manner
    if kind == "pareto":
        return {"pareto": {"burst": burst or 3}, **shape}
    if kind == "regular" and (phase is not None or shape):
        return {"regular": {"phase": phase or 0}, **shape}
    return shape or (None if kind == "poisson" else kind)


def _relation_row(part: Parts) -> dict[str, Any]:
    return {"distinct_rows": False, **part, **part.get("changes", {})}


def with_relations(parts: Parts, frame: pd.DataFrame) -> Parts:
    """The draft with the relations of the table."""
    relations = []
    for place, row in _rows(frame):
        changes = {name: row.pop(name) for name in ("inserts", "deletes") if name in row}
        old = _old(parts.get("relations", []), place)
        different = row.pop("distinct_rows", False) or None
        given = {"name": "", "rows": None} | row
        given |= {"changes": changes or None, "distinct_rows": different}
        relations.append(_merged(old, given))
    return {**parts, "relations": relations}


def _sources(parts: Parts) -> list[Parts]:
    return [*parts.get("streams", []), *parts.get("relations", [])]


def _attributes(parts: Parts) -> list[tuple[str, str, Parts]]:
    return [
        (str(source.get("name")), name, attribute)
        for source in _sources(parts)
        for name, attribute in source.get("attributes", {}).items()
    ]


def _attribute_row(source: str, name: str, part: Parts) -> dict[str, Any]:
    spread = part.get("distribution")
    zipf = spread.get("zipf") if isinstance(spread, dict) else None
    return {
        "source": source,
        "attribute": name,
        "distinct": part.get("distinct", len(part.get("values", [])) or None),
        "zipf": zipf,
        "type": part.get("type", "integer"),
    }


def with_attributes(parts: Parts, frame: pd.DataFrame) -> Parts:
    """The draft with the attributes of the table; rows without a name are ignored."""
    before = _attributes(parts)
    found: dict[str, Parts] = {}
    for place, row in _rows(frame):
        source, name = row.get("source"), row.get("attribute")
        if source is None or name is None:
            continue
        old = before[place][2] if place < len(before) else {}
        named = found.setdefault(source, {})
        if name in named:
            raise PlanError(f"{source} has two attributes named {name!r}; rename one", "attributes")
        named[name] = _attribute(old, row)

    def with_own(source: Parts) -> Parts:
        return _merged(source, {"attributes": found.get(str(source.get("name"))) or None})

    changed = {**parts, "streams": [with_own(part) for part in parts.get("streams", [])]}
    if "relations" in parts:
        changed["relations"] = [with_own(part) for part in parts["relations"]]
    return changed


def _attribute(old: Parts, row: dict[str, Any]) -> Parts:
    zipf, kind = row.get("zipf"), row.get("type", "integer")
    given: Parts = {"distribution": {"zipf": zipf} if zipf else None}
    if not old.get("values"):
        given |= {"distinct": row.get("distinct"), "type": None if kind == "integer" else kind}
    return _merged(old, given)


def show_execution() -> None:
    """How windows are probed: a row per source of the chosen query."""
    workload = state.workload()
    sources = workload.query(state.edited_query()).sources
    with st.container(horizontal=True):
        for method, words in (("nested", "All nested loops"), ("hash", "All hash")):
            st.button(words, on_click=_set_all, args=(method,))
    edit(
        "execution",
        lambda: _execution_frame(workload, sources),
        with_execution,
        controls.described_columns("execution"),
        disabled=["Source"],
        alt="Join methods",
    )


def _set_all(method: str) -> None:
    drafts.put("execution", {**drafts.parts().get("execution", {}), "join": method}, "all")


def _execution_frame(workload: Workload, sources: tuple[Source, ...]) -> pd.DataFrame:
    execution = workload.execution
    methods = [execution.method(source) for source in sources]
    buckets = [str(execution.bucket_count(source)) for source in sources]
    return pd.DataFrame(
        {
            "Source": [source.alias for source in sources],
            "Join": methods,
            "Buckets": [b if m == "hash" else "" for m, b in zip(methods, buckets, strict=True)],
        }
    )


def with_execution(parts: Parts, frame: pd.DataFrame) -> Parts:
    """The draft with the join methods and buckets of the table."""
    methods = dict(zip(frame["Source"], frame["Join"], strict=True))
    buckets = {
        source: _bucket_count(text)
        for source, text in zip(frame["Source"], frame["Buckets"], strict=True)
        if methods[source] == "hash"
    }
    changed = {
        **parts.get("execution", {}),
        "join": one_value(methods),
        "buckets": one_value(buckets),
    }
    return {**parts, "execution": {k: v for k, v in changed.items() if v not in (None, {})}}


def _bucket_count(text: str | None) -> int | str:
    written = (text or "").strip()
    return int(written) if written.isdecimal() else written or _PER_VALUE


def one_value(values: dict[str, Any]) -> Any:
    """One value where all are equal."""
    different = set(values.values())
    return different.pop() if len(different) == 1 else values
