"""Online migration: what chains store when their queries or their slices have changed.

A slice that is split keeps its tuples and has an earlier end: the new slice behind it begins empty
and is filled by the next purges. Slices that are merged put their tuples together. So a stored
tuple goes to the new slice that its old slice begins in, if there is a query for which it lives on.
"""

from __future__ import annotations

import numpy as np

from runtime.engines.kernels.conditions import Conditions, attach
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.sliced_chain.batch import ChainState, PreparedEra, nothing_stored
from runtime.engines.sliced_chain.chain_program import OPEN, SPLIT, Chain, ChainEra

_NOT_STORED = -1


def migrated(
    before: ChainEra, after: ChainEra, prepared: PreparedEra, rows: Rows, stored: list[ChainState]
) -> tuple[list[ChainState], np.ndarray]:
    """What the chains of the new era store of these tuples, and the bits of its conditions."""
    bits = [
        _bits(rows, stream, prepared.conditions[stream]) for stream in range(len(after.conditions))
    ]
    moved = nothing_stored(after, len(rows.ts))
    for chain, kept in zip(after.chains, moved, strict=True):
        sources = _sources(before, after, chain)
        for side, stream in enumerate(chain.sides):
            began = _began(before, sources, stream, stored, len(rows.ts))
            survival = _survival(after, chain, side, rows, bits[stream])
            _place(chain, side, began, survival, kept)
    together = np.zeros((len(rows.ts), prepared.words), np.uint64)
    if prepared.looks:
        for of_stream in bits:
            together[:, : of_stream.shape[1]] |= of_stream
    return moved, together


def _bits(rows: Rows, stream: int, conditions: Conditions) -> np.ndarray:
    """Which conditions of a stream its tuples satisfy."""
    words = max(1, -(-(len(conditions.start) - 1) // 64))
    bits = np.zeros((len(rows.ts), words), np.uint64)
    attach(np.flatnonzero(rows.source == stream), rows.values, conditions, bits)
    return bits


def _sources(before: ChainEra, after: ChainEra, chain: Chain) -> list[int]:
    """The old chains whose tuples a chain takes over: the one that served the same, or all."""
    ours = [n for n, old in enumerate(before.chains) if old.join == chain.join]
    alike = [n for n in ours if _served(before, before.chains[n]) == _served(after, chain)]
    return alike or ours


def _served(era: ChainEra, chain: Chain) -> object:
    """Whom a chain serves, and with which tuples."""
    gates = [(era.gates[number], part) for number, part in chain.gates]
    return (
        [(tap.query, tap.windows, tap.since) for tap in chain.taps],
        [(gate.kind, gate.parts[part] if gate.kind == SPLIT else None) for gate, part in gates],
    )


def _began(
    before: ChainEra, sources: list[int], stream: int, stored: list[ChainState], tuples: int
) -> np.ndarray:
    """Where the slice begins in which each tuple of a stream was stored."""
    began = np.full(tuples, _NOT_STORED, np.int64)
    for number in sources:
        chain, kept = before.chains[number], stored[number]
        side = chain.sides.index(stream)
        for start, of_slice in zip([0, *chain.ends[:-1]], kept.females, strict=True):
            began[of_slice[side]] = np.maximum(began[of_slice[side]], start)
    return began


def _survival(era: ChainEra, chain: Chain, side: int, rows: Rows, bits: np.ndarray) -> np.ndarray:
    """How far each tuple gets by the queries that it may serve: those it came after."""
    gate = era.gates[chain.gates[side][0]]
    if gate.kind == OPEN:
        # All that arrives is stored, and so is all that is there.
        return np.full(len(rows.ts), chain.widest[side], np.int64)
    survival = np.zeros(len(rows.ts), np.int64)
    for tap in chain.taps:
        serves = (rows.ts >= tap.since) & _holds(bits, tap.conditions[side])
        survival[serves] = np.maximum(survival[serves], tap.windows[side])
    if gate.kind == SPLIT:
        part = gate.parts[chain.gates[side][1]]
        for condition, wanted in zip(gate.chosen, part, strict=True):
            survival[_holds(bits, condition) != bool(wanted)] = 0
    return survival


def _holds(bits: np.ndarray, condition: int) -> np.ndarray:
    if condition < 0:
        return np.ones(len(bits), np.bool_)
    bit: np.ndarray = (bits[:, condition >> 6] >> np.uint64(condition & 63)) & np.uint64(1) != 0
    return bit


def _place(
    chain: Chain, side: int, began: np.ndarray, survival: np.ndarray, kept: ChainState
) -> None:
    """Put the tuples of a side into the slices, oldest first."""
    starts = np.array([0, *chain.ends[:-1]])
    place = np.searchsorted(np.array(chain.ends), began, side="right")
    inside = (began != _NOT_STORED) & (place < len(chain.ends))
    place = np.minimum(place, len(chain.ends) - 1)
    chosen = np.flatnonzero(inside & (survival > starts[place]))
    kept.survival[chosen] = survival[chosen]
    for number in range(len(chain.ends)):
        kept.females[number][side] = chosen[place[chosen] == number]
