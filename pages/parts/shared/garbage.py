"""Python's full garbage collections are kept short, so that no click waits for one.

Such a collection looks at everything that is loaded. With all modules of a page that takes about
200 ms, whenever much has been made: every fifth time or so that a slider moves. What a page has
loaded stays until the process ends, and is not looked at again.
"""

from __future__ import annotations

import gc
from threading import Lock

_settling = Lock()
_settled: set[str] = set()


def settle(page: str) -> None:
    """Once a page has been drawn for the first time: what is loaded by now is no garbage."""
    with _settling:
        if page in _settled:
            return
        _settled.add(page)
        gc.collect()
        gc.freeze()
