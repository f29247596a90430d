"""A plan: a graph of operators, the same ids in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from planner.time_limit import check

Param = str | int | float


def digest(text: str) -> str:
    """A short digest that names an operator or a plan."""
    return hashlib.blake2s(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Operator:
    """One step of a plan. Its id is a digest of what it does and of what feeds it.

    >>> Operator("arrive", (("stream", "S1"),)).id == Operator("arrive", (("stream", "S1"),)).id
    True
    """

    kind: str
    params: tuple[tuple[str, Param], ...] = ()
    inputs: tuple[Operator, ...] = ()
    id: str = field(init=False)

    def __post_init__(self) -> None:
        check()
        text = repr((self.kind, self.params, [op.id for op in self.inputs]))
        object.__setattr__(self, "id", f"{self.kind}-{digest(text)}")

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operator) and self.id == other.id

    def param(self, name: str) -> Param:
        return dict(self.params)[name]


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to answer a workload: operators from the arriving tuples to one root per query."""

    family: str
    label: str
    roots: tuple[Operator, ...]
    id: str = field(init=False)

    def __post_init__(self) -> None:
        text = repr((self.family, self.label, [op.id for op in self.roots]))
        object.__setattr__(self, "id", digest(text))

    def operators(self) -> tuple[Operator, ...]:
        """Every operator once, each after what feeds it."""
        found: dict[str, Operator] = {}
        # An explicit stack: a chain of thousands of slices must not meet the recursion limit.
        stack: list[tuple[Operator, Iterator[Operator]]] = []
        for root in self.roots:
            stack.append((root, iter(root.inputs)))
            while stack:
                operator, inputs = stack[-1]
                following = next((op for op in inputs if op.id not in found), None)
                if following is None:
                    stack.pop()
                    found.setdefault(operator.id, operator)
                else:
                    stack.append((following, iter(following.inputs)))
        return tuple(found.values())
