"""The backends by name. A new one is one folder and one line in BACKENDS."""

from __future__ import annotations

from functools import cache
from importlib import import_module

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
