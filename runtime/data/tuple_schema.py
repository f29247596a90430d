"""What the tuples of a run carry for queries that enter while it goes on, kept beside its batches.

Micro-batches are cut before a run begins. Those of a run that can be changed carry every attribute
of their streams, so that a filter that nobody thought of can still be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from planner.errors import PlanError
from planner.families.sliced_chain.groups import Group
from planner.workload.query import Column
from planner.workload.streams import Constant
from planner.workload.validation import listed
from runtime.data.encoding import Ordered

_NOTE = "_carried.json"


@dataclass(frozen=True)
class Carried:
    """Streams, keys and values by number. `columns` are [stream, attribute, slot, whether text]."""

    streams: list[str]
    keys: list[str]
    columns: list[tuple[str, str, int, bool]]
    base: int
    texts: list[str]

    def write(self, folder: Path) -> None:
        """Keep it beside the micro-batches."""
        (folder / _NOTE).write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> Carried:
        """What `write` kept."""
        content = json.loads((folder / _NOTE).read_text())
        return cls(**{**content, "columns": [tuple(column) for column in content["columns"]]})

    @property
    def slots(self) -> dict[Column, int]:
        """The place of each value in the tuples of its stream."""
        return {Column(stream, attribute): slot for stream, attribute, slot, _ in self.columns}

    @cached_property
    def _ordered(self) -> Ordered:
        return Ordered(self.base, self.texts)

    def constant(self, value: Constant) -> float:
        """A constant as the values are written."""
        return self._ordered.constant(value)

    def check(self, groups: list[Group]) -> None:
        """Raise what a query needs that the tuples of the run do not carry."""
        for group in groups:
            for reason in self._missing(group):
                raise PlanError(
                    f"{reason}. Ask for it in a run of its own, or plan the change before the run "
                    "(run.changes)",
                    group.members[-1].query,
                )

    def _missing(self, group: Group) -> Iterator[str]:
        for stream in group.streams:
            if stream not in self.streams:
                yield f"no query of this run reads {stream} (it has {listed(self.streams)})"
        for predicate in group.predicates:
            if predicate.is_equality:
                if str(predicate) not in self.keys:
                    yield f"this run joins by {listed(self.keys)}, not by {predicate}"
            else:
                yield from self._unread(predicate.left, None)
                yield from self._unread(predicate.right, None)
        for member in group.members:
            for condition in member.conditions:
                for filter_ in condition.filters:
                    yield from self._unread(filter_.column, filter_.constant)

    def _unread(self, column: Column, constant: Constant | None) -> Iterator[str]:
        texts = {Column(stream, attribute): text for stream, attribute, _, text in self.columns}
        if column not in texts:
            yield f"the tuples of this run were read without {column}"
        elif constant is not None and texts[column] != isinstance(constant, str):
            kind = "text" if texts[column] else "numbers"
            yield f"{column} holds {kind}, which {constant!r} cannot be compared with"
