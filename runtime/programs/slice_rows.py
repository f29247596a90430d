"""The results of chains as rows, for queries whose results are kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runtime.kernels.loop_types import Rows
from runtime.kernels.slice_types import ALWAYS
from runtime.programs.slice_forms import Chain, Piece, Tap

# Of a slice from which a query takes nothing.
_NOT_ASKED = (-1, -1, ALWAYS)


def rows_of(
    chain: Chain, pieces: list[Piece], seen: Rows, bits: np.ndarray, kept: np.ndarray
) -> Iterator[np.ndarray]:
    """The rows of each query: its number, seqs in FROM order, time, and rank of the last to arrive.

    `kept` has for every result its slice, both members, the side of the stored one, and segment.
    """
    place, a, b, side, segment = kept.T
    takes = np.stack([piece.takes for piece in pieces])
    last = np.maximum(a, b)
    for nth, tap in enumerate(chain.taps):
        wanted = segment < takes[place, nth, side]
        wanted &= _selected(chain, tap, seen, bits, kept)
        first, second = (b, a) if tap.turned else (a, b)
        columns = (
            np.full(len(a), tap.query),
            seen.seq[first],
            seen.seq[second],
            seen.ts[last],
            seen.rank[last],
        )
        yield np.stack(columns, axis=1)[wanted]


def _selected(chain: Chain, tap: Tap, seen: Rows, bits: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Which results pass what their slices look at for this query."""
    place, a, b = kept[:, :3].T
    by_slice = [
        own[pair] if pair >= 0 else _NOT_ASKED
        for own, pair in zip(chain.pairs, tap.pairs, strict=True)
    ]
    on_first, on_second, since = np.array(by_slice, np.int64)[place].T
    passes = seen.ts[np.minimum(a, b)] >= since
    for member, condition in ((a, on_first), (b, on_second)):
        asked = np.maximum(condition, 0)
        bit = bits[member, asked >> 6] >> (asked & 63).astype(np.uint64)
        passes &= (condition < 0) | ((bit & np.uint64(1)) != 0)
    return passes
