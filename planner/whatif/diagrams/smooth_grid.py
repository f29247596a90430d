"""Numbers in all cells of a grid, worked out in few: interpolated, and checked in others.

What a plan's parts cost is smooth in a rate, a window or a share: most often a polynomial of low
degree. Along each axis nodes are added, as Chebyshev spaces them, until the polynomial through them
says what the next nodes have. Then some rows and columns of nodes are worked out:

    y  o . . o . . . o      o  worked out
       . . . . . x . .      x  worked out and compared with what is interpolated
       o . . o . . . o      .  interpolated

Where a check fails nothing is said: the cells are planned one by one then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.joins.arrays import Floats, Ints

# Numbers of nodes along an axis that are tried in turn; each has about the nodes before it.
_LEVELS = (3, 5, 9, 17)
# A part of a line with so many places is worked out in all of them.
_LEAST = 4
# What is interpolated is right to so much of each number, or of those it is added to.
_NEAR = 1e-7
# Of both axes together: their errors add up.
_NEAR_IN_ALL = 5e-7
_ROUNDING = 1e-12
# Of so many rows all others are mixtures, tried in turn; at last all nodes are worked out.
_RANKS = (3, 5, 1_000)
_SMALL = 1e-3
_LARGEST = 1e150
# Cells in which the whole is checked.
_CHECKS = 24

At = Callable[[int, int], Floats | None]


@dataclass(frozen=True, slots=True)
class _Line:
    """The nodes of an axis, and what each weighs in every place of it."""

    nodes: tuple[int, ...]
    weights: Floats


def interpolated(axes: Sequence[Sequence[float]], known_at: At, most: int) -> Floats | None:
    """The numbers of every cell, one row a cell in row-major order.

    `known_at(i, j)` works out those of a cell, None where they are others than elsewhere. None
    where the numbers are not smooth enough to be known from `most` cells, or not bounded.
    """

    def at(i: int, j: int) -> Floats | None:
        return _bounded(known_at(i, j))

    rows, columns = (len(values) for values in axes)
    across = _line(axes[0], lambda i: at(i, columns // 2), most)
    if across is None:
        return None
    down = _line(axes[1], lambda j: at(rows // 2, j), most)
    if down is None:
        return None
    for rank in _RANKS:
        rows_used, columns_used = (min(rank, len(line.nodes)) for line in (across, down))
        if rows_used * len(down.nodes) + columns_used * len(across.nodes) > 2 * most:
            return None
        values = _crossed(across.nodes, down.nodes, at, rank)
        if values is None:
            return None
        found = np.einsum("ia,abp->ibp", across.weights, values)
        found = np.einsum("jb,ibp->ijp", down.weights, found)
        if _holds(found, at):
            return np.asarray(found.reshape(rows * columns, -1))
    return None


def interpolated_line(
    values: Sequence[float], known_at: Callable[[int], Floats | None], most: int
) -> Floats | None:
    """The same along one axis: one row a value."""

    def at(i: int) -> Floats | None:
        return _bounded(known_at(i))

    line = _line(values, at, most)
    nodes = [] if line is None else [at(node) for node in line.nodes]
    known = [cell for cell in nodes if cell is not None]
    if line is None or len(known) < len(line.nodes):
        return None
    found = line.weights @ np.array(known)
    return found if _holds(found[:, None], lambda i, _: at(i)) else None


def _bounded(cell: Floats | None) -> Floats | None:
    """The numbers of a cell; None where weighed sums of them would not stay finite."""
    if cell is None or np.max(np.abs(cell), initial=0.0) > _LARGEST:
        return None
    return cell


def _crossed(rows: Sequence[int], columns: Sequence[int], at: At, rank: int) -> Floats | None:
    """The numbers at all nodes, from those of some rows and some columns.

    Costs are sums of few products of what either axis decides, so that all rows are mixtures of a
    few, with the same shares in every column.
    """
    few_rows = [rows[at_] for at_ in _nodes(len(rows), min(rank, len(rows)))]
    few_columns = [columns[at_] for at_ in _nodes(len(columns), min(rank, len(columns)))]
    along = _numbers(few_rows, columns, at)
    across = _numbers(rows, few_columns, at)
    if along is None or across is None:
        return None
    if len(few_rows) == len(rows):
        return along
    places = [list(columns).index(column) for column in few_columns]
    core = along[:, places]
    # One small system for each number: its smallest singular values are rounding.
    inverse = np.linalg.pinv(core.transpose(2, 0, 1), rcond=_ROUNDING)
    return np.asarray(np.einsum("icp,pcr,rjp->ijp", across, inverse, along))


def _numbers(rows: Sequence[int], columns: Sequence[int], at: At) -> Floats | None:
    known = [[at(i, j) for j in columns] for i in rows]
    values = [[cell for cell in row if cell is not None] for row in known]
    return np.array(values) if all(len(row) == len(columns) for row in values) else None


def _holds(found: Floats, at: At) -> bool:
    """Whether cells that were not needed have what is said of them."""
    for i, j in _checked(found.shape[0], found.shape[1]):
        true = at(i, j)
        if true is None or not _agrees(found[i, j], true, _NEAR_IN_ALL):
            return False
    return True


def _line(values: Sequence[float], at: Callable[[int], Floats | None], most: int) -> _Line | None:
    """Nodes that say what the line has elsewhere; in parts, where costs have kinks."""
    pieces: list[_Line] = []
    waiting = [(0, len(values))]
    while waiting:
        begin, end = waiting.pop(0)
        piece = _piece(values, at, begin, end)
        middle = (begin + end) // 2
        if piece is None and end - begin <= _LEAST:
            piece = _Line(tuple(range(begin, end)), np.eye(end - begin))
        if piece is None:
            waiting[:0] = [(begin, middle), (middle, end)]
        else:
            pieces.append(piece)
        if sum(len(known.nodes) for known in pieces) > most or at(begin) is None:
            return None
    weights = np.zeros((len(values), sum(len(piece.nodes) for piece in pieces)))
    row = column = 0
    for piece in pieces:
        rows, columns = piece.weights.shape
        weights[row : row + rows, column : column + columns] = piece.weights
        row, column = row + rows, column + columns
    return _Line(tuple(node for piece in pieces for node in piece.nodes), weights)


def _piece(
    values: Sequence[float], at: Callable[[int], Floats | None], begin: int, end: int
) -> _Line | None:
    """The fewest nodes of a part of the line that say what it has at the next ones."""
    for nodes, others in _levels(end - begin):
        own = [at(begin + node) for node in nodes]
        true = {node: at(begin + node) for node in others}
        if any(cell is None for cell in (*own, *true.values())):
            return None
        for variable in _variables(values[begin:end]):
            weights = _barycentric(variable, nodes)
            found = weights @ np.array(own)
            if all(t is not None and _agrees(found[node], t) for node, t in true.items()):
                return _Line(tuple(begin + node for node in nodes), weights)
    return None


def _levels(count: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Nodes, and the nodes that follow them on the next level."""
    levels = [_nodes(count, level) for level in _LEVELS if level <= count]
    for own, following in pairwise(levels):
        yield own, tuple(node for node in following if node not in own)


def _nodes(count: int, level: int) -> tuple[int, ...]:
    """The places nearest to where Chebyshev has so many nodes, both ends among them."""
    if level == 1:
        return (count // 2,)
    shares = (1 - np.cos(np.pi * np.arange(level) / (level - 1))) / 2
    return tuple(dict.fromkeys(round(share * (count - 1)) for share in shares.tolist()))


def _variables(values: Sequence[float]) -> Iterator[Floats]:
    """What costs may be polynomials in: the value, its inverse, its logarithm."""
    own = np.array(values)
    yield own
    if np.all(own > 0):
        yield 1 / own
        yield np.log(own)


def _barycentric(variable: Floats, nodes: Sequence[int]) -> Floats:
    """What the numbers at the nodes weigh in each place: one row a place."""
    scaled = variable / np.max(np.abs(variable))
    known = scaled[list(nodes)]
    apart = known[:, None] - known[None, :]
    np.fill_diagonal(apart, 1.0)
    # Products of many small differences: their logarithms do not underflow.
    logs = -np.log(np.abs(apart)).sum(axis=1)
    shares = np.sign(apart).prod(axis=1) * np.exp(logs - logs.max())
    away = scaled[:, None] - known[None, :]
    at_node = away == 0
    terms = shares / np.where(at_node, 1.0, away)
    weights = terms / terms.sum(axis=1, keepdims=True)
    exact = at_node.any(axis=1)
    weights[exact] = at_node[exact]
    return np.asarray(weights)


def _agrees(found: Floats, true: Floats, near: float = _NEAR) -> bool:
    if found.shape != true.shape:
        return False
    typical = np.median(np.abs(true)) if len(true) else 0.0
    return bool(np.all(np.abs(found - true) <= near * (np.abs(true) + _SMALL * typical)))


def _checked(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Cells apart from each other, none of them in a row or column that has many nodes."""
    places: Ints = np.random.default_rng(7).permutation(rows * columns)
    for place in places[:_CHECKS].tolist():
        yield divmod(place, columns)
