"""Every mistake of a workload that is being edited, in the words of the person who edits it.

A reader stops at the first mistake. So the part that is wrong is taken out and the rest read again,
until nothing is wrong: each mistake is found once, at its own place.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import Any

from planner.errors import PlanError, QueryTextError
from planner.files.workload_file import load_workload

_MOST = 20
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_LISTED = re.compile(r"(streams|relations|queries)\[(\d+)\](?:\.(.*))?")
_ATTRIBUTE = re.compile(r"attributes\.(.+?)(?:\.(\w+(?:\.\w+)?))?")
_KINDS = {"streams": "stream", "relations": "relation", "queries": "query"}
# What the fields of forms and tables are called.
_FIELDS = {
    "rate": "rate",
    "rows": "number of rows",
    "tuple_bytes": "tuple size",
    "arrivals.pareto.burst": "burst size",
    "arrivals.regular.phase": "phase",
    "changes.inserts": "inserts",
    "changes.deletes": "deletes",
    "distinct": "distinct values",
    "distribution.zipf": "Zipf exponent",
    "run.duration": "duration",
    "run.warmup": "warm-up",
    "run.seed": "seed",
    "execution.memory": "memory",
    "execution.buckets": "buckets",
}


def all_problems(content: Mapping[str, Any]) -> list[PlanError]:
    """The mistakes of the content of a workload file; none where it can be read."""
    rest: Any = copy.deepcopy(dict(content))
    found: list[PlanError] = []
    while len(found) < _MOST:
        try:
            load_workload(json.dumps(rest))
        except PlanError as error:
            found.append(error)
            if not _without(rest, error.place):
                break
        else:
            break
    return found


def _without(rest: Any, place: str) -> bool:
    """Take the wrong value out; False where it cannot be: then nothing more can be found."""
    listed = _LISTED.fullmatch(place)
    if listed and listed[1] == "queries":
        streams = rest.get("streams") or [{}]
        name = json.dumps(str(streams[0].get("name", "")))
        text = f"SELECT * FROM {name} [RANGE 1]"
        rest["queries"][int(listed[2])] = {"name": f"corrected {listed[2]}", "text": text}
        return True
    if listed and listed[3] == "name":
        rest[listed[1]][int(listed[2])]["name"] = f"corrected {listed[1]} {listed[2]}"
        return True
    *path, last = [name or int(number) for name, number in _STEP.findall(place)] or [""]
    try:
        for step in path:
            rest = rest[step]
        del rest[last]
    except (KeyError, IndexError, TypeError):
        return False
    return bool(path)


def in_words(error: PlanError, content: Mapping[str, Any]) -> PlanError:
    """The mistake with its place as the user names it: `purchases: rate must be above 0`."""
    words, message = _place_in_words(error.place, content), error.message
    if isinstance(error, QueryTextError):
        line = error.text[: error.offset].count("\n") + 1
        return QueryTextError(error.summary, error.text, error.offset, f"{words[0]}, line {line}")
    return PlanError(f"{words[1]} {message}" if words[1] else message, words[0])


def _place_in_words(place: str, content: Mapping[str, Any]) -> tuple[str, str]:
    """Whose mistake it is, and in which field."""
    listed = _LISTED.fullmatch(place)
    if listed is None:
        return ("", _FIELDS[place]) if place in _FIELDS else (place, "")
    kind, number, field = listed[1], int(listed[2]), listed[3] or ""
    part = content.get(kind, [])[number]
    name = part.get("name") if isinstance(part, dict) else None
    who = str(name) if name else f"{_KINDS[kind]} {number + 1}"
    if kind == "queries":
        return f"query {name or f'Q{number + 1}'}", "" if field == "text" else field
    if attribute := _ATTRIBUTE.fullmatch(field):
        own = attribute[2] or ""
        return f"{who}.{attribute[1]}", _FIELDS.get(own, own)
    return who, _FIELDS.get(field, field)


def part_of(error: PlanError) -> str:
    """The part of the form that a mistake belongs to: streams, attributes, queries[0] ..."""
    listed = _LISTED.fullmatch(error.place)
    if listed is None:
        return error.place.partition(".")[0]
    if listed[1] == "queries":
        return f"queries[{listed[2]}]"
    return "attributes" if (listed[3] or "").startswith("attributes") else listed[1]
