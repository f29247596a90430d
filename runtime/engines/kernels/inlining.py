"""How parts of a kernel are compiled: what only other compiled code calls."""

from __future__ import annotations

from typing import Any

from numba import njit

# Arrays handed from call to call would be counted as used, one by one, by operations that lock the
# memory: dearer than a short part's work. A part that makes no array needs none of that (as in
# Numba's own sorts), nor a door for Python; and nothing here divides by 0.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
# A call would also write all seven fields of every array it hands over to the stack: for the walk
# of one event some 300 numbers, most of them never read. So parts become code of their caller.
part = njit(forceinline=True, **_OPTIONS)
# What seldom runs is called: the parts that it shares with its caller are long.
seldom_part = njit(**_OPTIONS)
