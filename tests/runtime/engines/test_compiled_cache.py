"""Compiled kernels on disk: damaged files count as absent, and every kernel is kept sealed."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.files.data_folder import ENGINES, PROJECT
from runtime.engines.kernels.compiled_cache import SealedCacheFile
from tests.damage import DAMAGES

# The smallest kernel of all, compiled or loaded in a process of its own.
_KERNEL = """
from runtime.engines.kernels.compiled_cache import use_sealed_cache
use_sealed_cache()
from numba import njit
@njit(cache=True)
def double(number):
    return 2 * number
print(double(21), sum(double.stats.cache_hits.values()))
"""


def _run(folder: Path, script: Path) -> str:
    done = subprocess.run(
        [sys.executable, script],
        env={"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(PROJECT), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(_KERNEL)
    assert _run(tmp_path / "cache", script) == "42 0"
    (index,) = (tmp_path / "cache").rglob("*.nbi")
    DAMAGES["emptied"](index)
    assert _run(tmp_path / "cache", script) == "42 0"


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("part", ["index", "data"])
def test_what_is_damaged_is_absent(
    part: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    kept = SealedCacheFile(str(tmp_path), "kernel", "stamp")
    kept.save("key", ["code"] * 10)
    assert kept.load("key") == ["code"] * 10
    (file,) = tmp_path.glob("*.nbi" if part == "index" else "*.nbc")
    damage(file)
    assert kept.load("key") is None
    kept.save("key", ["code"])
    assert kept.load("key") == ["code"]


def test_every_kernel_is_kept_sealed() -> None:
    found = 0
    for file in sorted(ENGINES.rglob("kernel*/*.py")):
        name = ".".join(file.relative_to(PROJECT).with_suffix("").parts)
        for kernel in vars(importlib.import_module(name)).values():
            cache = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
            if cache is not None:
                assert isinstance(cache, SealedCacheFile), name
                found += 1
    assert found > 3
