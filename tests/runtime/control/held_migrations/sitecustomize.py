"""Python runs this first where PYTHONPATH names its folder: migrations of chains can be held.

While the folder of `SLUICE_HELD` has a file `hold`, a worker that is about to migrate writes its
process into `migrating` and waits; so a test can kill it, or what is around it, meanwhile.
"""

import os
import sys
import time
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_MODULE = "runtime.engines.sliced_chain.migration"
_MOST_SECONDS = 60


class _Finder:
    """Finds that one module, and wraps its function once it is loaded."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == _MODULE else None
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                module.migrated = _held(module.migrated)

            spec.loader.exec_module = exec_module
        return spec


def _held(migrated: Any) -> Any:
    def held(*arguments: Any) -> Any:
        folder = Path(os.environ["SLUICE_HELD"])
        deadline = time.monotonic() + _MOST_SECONDS
        while (folder / "hold").exists() and time.monotonic() < deadline:
            beside = folder / f"{os.getpid()}.beside"
            beside.write_text(str(os.getpid()))
            beside.replace(folder / "migrating")
            time.sleep(0.02)
        return migrated(*arguments)

    return held


if "SLUICE_HELD" in os.environ:
    sys.meta_path.insert(0, _Finder())
