"""What the numbers in the tuples of many joins stand for, kept beside their micro-batches.

Micro-batches are cut before a run begins. Those of a run that can be changed carry every attribute
of their streams, so that a filter that nobody thought of can still be evaluated.
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

_FILE = "_slices.json"


@dataclass(frozen=True)
class Carried:
    """What tuples carry for queries that may yet enter: streams, keys and values by number.

    `columns` are [stream, attribute, slot, whether text].
    """

    streams: list[str]
    keys: list[str]
    columns: list[tuple[str, str, int, bool]]
    base: int
    texts: list[str]

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
            if predicate.comparison == "=" and not predicate.offset:
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


@dataclass(frozen=True, slots=True)
class SliceSchema:
    """Keys are below the `codes` of their equality; `constants` are those of all filters, as the
    tuples' values are written. A run that can be changed has what its tuples `carried`."""

    codes: tuple[int, ...]
    constants: tuple[float, ...]
    carried: Carried | None = None

    def write(self, folder: Path) -> None:
        """Keep it in a folder of micro-batches."""
        (folder / _FILE).write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> SliceSchema:
        """What `write` kept."""
        content = json.loads((folder / _FILE).read_text())
        carried = content["carried"]
        if carried is not None:
            columns = [tuple(column) for column in carried["columns"]]
            carried = Carried(**{**carried, "columns": columns})
        return cls(tuple(content["codes"]), tuple(content["constants"]), carried)
