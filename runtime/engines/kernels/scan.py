"""Scanning a window: 64 keys at a time are compared into a mask; its set bits are the matches.

Arrays that are scanned carry PADDING spare keys at the end, so that the last comparison may read
past the range; the mask is cut to the range.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

PADDING = 64
_ONE = np.uint64(1)


def _equal_mask(lanes: int):
    """An intrinsic: bit b of the mask says whether keys[start + b] == key, for `lanes` bits.

    LLVM's vector types say this directly; its loop vectoriser does not find it by itself.
    """

    @intrinsic
    def equal_mask(_context, keys, _start, _key):
        def generate(context, builder, signature, arguments):
            array, index, wanted = arguments
            data = context.make_array(signature.args[0])(context, builder, array).data
            vector = ir.VectorType(ir.IntType(32), lanes)
            address = builder.bitcast(builder.gep(data, [index]), vector.as_pointer())
            stored = builder.load(address)
            stored.align = 4
            undefined = ir.Constant(vector, ir.Undefined)
            first = builder.insert_element(undefined, wanted, ir.Constant(ir.IntType(32), 0))
            spread = builder.shuffle_vector(first, undefined, ir.Constant(vector, [0] * lanes))
            equal = builder.icmp_unsigned("==", stored, spread)
            mask = builder.bitcast(equal, ir.IntType(lanes))
            return mask if lanes == 64 else builder.zext(mask, ir.IntType(64))

        return types.uint64(keys, types.int64, types.int32), generate

    return equal_mask


_equal_64 = _equal_mask(64)
_equal_16 = _equal_mask(16)


@intrinsic
def _lowest_bit(_context, _mask):
    """The place of the lowest set bit of a mask that is not 0."""

    def generate(_codegen_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@njit(inline="always")
def matches(keys, start, end, key, found, base):
    """Examine keys[start:end]; put the places that hold `key` into found[base:] and count them."""
    count = base
    place = start
    while place < end:
        left = end - place
        mask = _equal_16(keys, place, key) if left <= 16 else _equal_64(keys, place, key)
        if left < 64:
            mask &= (_ONE << np.uint64(left)) - _ONE
        while mask != 0:
            found[count] = place + _lowest_bit(mask)
            count += 1
            mask &= mask - _ONE
        place += 64
    return count - base
