"""What a measurement may depend on beside the code: Python, the machine, the packages."""

from __future__ import annotations

import platform
from importlib.metadata import version


def versions() -> dict[str, str]:
    """What a measurement may depend on."""
    packages = {name: version(name) for name in ("pyspark", "numba", "numpy", "pyarrow")}
    return {"python": platform.python_version(), "machine": platform.machine(), **packages}
