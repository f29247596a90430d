"""What runs plans: our kernels, or Spark's own operators. A new one is a folder and one line."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.backends.protocol import Backend

# By name the module of each: imported when a plan is first run on it.
BACKENDS = {
    "kernels": "runtime.backends.kernels.backend",
    "native": "runtime.backends.native.backend",
}


@cache
def backend(name: str) -> Backend:
    """The backend with this name."""
    found: Backend = import_module(BACKENDS[name]).BACKEND
    return found
