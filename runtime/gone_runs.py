"""How many runs broke off: asked without what carries runs out, which takes seconds to load."""

from __future__ import annotations

from runtime.history import History
from runtime.processes import is_there
from runtime.run_summary import RunFilter


def gone_runs(history: History) -> int:
    """The runs that were interrupted, those included whose process has ended since it was asked."""
    if not history.file.exists():
        return 0
    running = history.processes().values()
    gone = sum(known is None or not is_there(known) for known in running)
    return gone + history.count(RunFilter(status="interrupted"))
