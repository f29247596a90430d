"""How Streamlit's caches tell workloads apart: by their digests."""

from collections.abc import Callable
from typing import Any

from planner.workload.workload import Workload

BY_DIGEST: dict[str | type[Any], Callable[[Any], Any]] = {Workload: lambda w: w.digest}
