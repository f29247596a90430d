"""Each query alone on a server of its own: first come first served, its own window only.

Nothing has to be chosen, so an outer is served as soon as it has arrived: it begins when the outer
before it is done, and releases what it finds as it is found.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from runtime.engines.shared_schedule.kernel.delays import add_sum
from runtime.engines.shared_schedule.kernel.serve import overlap
from runtime.engines.shared_schedule.kernel.types import BUSY, WAITED


@njit(cache=True, nogil=True)
def serve_alone(taps, outers, begin, end, span, free, delays, counts):
    """Serve outers[begin:end]; `taps` are window and class of each slot, -1 where it has none.

    `free` says since when each slot's server is, `counts` the results that were measured. Sums are
    by slot here; there is no histogram.
    """
    ts, _side, _dropped, spent, found, offsets_sum, first, offsets = outers
    sums, _histogram, largest, scans, measures = delays
    warmup, stop = span
    classes, widest = found.shape[1], found.shape[2] - 1
    # By class and window: the sum over all results up to there, counted from the begin of the scan,
    # and when the last of them is found.
    total = np.zeros((classes, widest + 1), np.int64)
    latest = np.zeros((classes, widest + 1), np.int64)
    for k in range(begin, end):
        for f in range(classes):
            for p in range(1, widest + 1):
                here = found[k, f, p] - found[k, f, p - 1]
                total[f, p] = total[f, p - 1] + here * spent[k, p - 1] + offsets_sum[k, f, p]
                latest[f, p] = latest[f, p - 1]
                if here > 0:
                    latest[f, p] = spent[k, p - 1] + offsets[first[k, f] + found[k, f, p] - 1]
        for slot in range(len(taps)):
            p, f = taps[slot, 0], taps[slot, 1]
            if p < 0:
                continue
            begun = max(ts[k], free[slot])
            done = begun + spent[k, p]
            free[slot] = done
            measures[BUSY] += overlap(begun, done, warmup, stop)
            measures[WAITED] += overlap(ts[k], done, warmup, stop)
            if ts[k] < warmup:
                continue
            waited = begun - ts[k]
            add_sum(scans, slot, done - ts[k])
            if found[k, f, p] > 0:
                counts[slot] += found[k, f, p]
                add_sum(sums, slot, found[k, f, p] * waited + total[f, p])
                largest[slot] = max(largest[slot], waited + latest[f, p])
