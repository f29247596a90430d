"""Paths to the numbers of a workload that a sweep may vary, such as `streams.S1.rate`.

Several numbers are tied together in three ways: `streams.*.rate` gives all streams the same rate,
`streams.S1.rate,streams.S2.rate` those two, and `times.streams.*.rate` multiplies what each has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from planner.errors import PlanError
from planner.whatif.numbers import conditions, inputs, queries, settings
from planner.whatif.numbers.path import Path, Reader, segments_of
from planner.workload.validation import listed
from planner.workload.workload import Workload

_READERS: tuple[Reader, ...] = (
    inputs.read_path,
    queries.read_path,
    settings.read_path,
    conditions.read_path,
)
_LISTS = (inputs.listed, queries.listed, settings.listed, conditions.listed)
# Between tied paths: a comma that is in no quotes.
_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')
TIMES = "times."
_MOST_NAMED = 12


def path_in(workload: Workload, text: str) -> Path:
    """The path that the text names in this workload; a PlanError that lists those there are."""
    if len(parts := tied_parts(text)) > 1:
        return _tied(workload, text, parts)
    if text.startswith(TIMES):
        return _multiplied(workload, text)
    segments = segments_of(text)
    for reader in _READERS:
        found = reader(workload, text, segments)
        if found is not None:
            return found
    raise PlanError(f"no such path; this workload has {listed(paths(workload), _MOST_NAMED)}", text)


def tied_parts(text: str) -> list[str]:
    """The paths that a text ties together.

    >>> tied_parts('streams.A.rate,statistics.filters."A.v IN (1, 2)".selectivity')
    ['streams.A.rate', 'statistics.filters."A.v IN (1, 2)".selectivity']
    """
    return [part.strip() for part in _COMMA.split(text)]


def paths(workload: Workload) -> Iterator[str]:
    """The paths that can be varied in this workload."""
    every = [path for lister in _LISTS for path in lister(workload)]
    tied = [path for path in (inputs.ALL_RATES, queries.ALL_WINDOWS) if path in every]
    yield from (f"{TIMES}{path}" for path in tied)
    yield from every


def _tied(workload: Workload, text: str, parts: list[str]) -> Path:
    """Several paths that take the same value."""
    known = [path_in(workload, part) for part in parts]

    def change(value: float) -> Workload:
        changed = workload
        for part in parts:
            changed = path_in(changed, part).change(value)
        return changed

    return replace(
        known[0],
        text=text,
        change=change,
        integer=all(path.integer for path in known),
        most=min(path.most for path in known),
    )


def _multiplied(workload: Workload, text: str) -> Path:
    """What is there now, times the value, in every place."""
    own = text.removeprefix(TIMES)
    segments = segments_of(own)
    path_in(workload, own)
    match segments:
        case ["streams", name, "rate"]:

            def faster(value: float) -> Workload:
                streams = (
                    replace(s, rate=s.rate * value)
                    if name in ("*", s.name) and s.rate is not None
                    else s
                    for s in workload.streams
                )
                return replace(workload, streams=tuple(streams))

            known = any(name in ("*", s.name) and s.rate for s in workload.streams)
            return Path(text, False, faster, 1.0 if known else None)
        case ["queries", name, "windows", alias]:

            def longer(value: float) -> Workload:
                return queries.windows_times(workload, name, alias, value)

            return Path(text, False, longer, 1.0)
    raise PlanError(
        f"only rates and windows can be multiplied, such as {TIMES}streams.*.rate", text
    )


def streams_of(workload: Workload, texts: Iterable[str]) -> tuple[str, ...]:
    """The streams whose rates these paths vary."""
    names = [stream.name for stream in workload.streams]
    parts = [part for text in texts for part in tied_parts(text)]
    asked = [segments_of(part.removeprefix(TIMES)) for part in parts]
    rated = [s[1] for s in asked if s[0] == "streams" and s[2:] == ["rate"] and s[1] in names]
    return tuple(dict.fromkeys(rated))
