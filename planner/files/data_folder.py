"""Where Sluice keeps its data, and what its figures hold for: this machine and these kernels."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import lru_cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ENGINES = PROJECT / "runtime" / "engines"


def home() -> Path:
    """The data folder: `.sluice` in the project, or the folder that SLUICE_HOME names."""
    return _resolved(os.environ.get("SLUICE_HOME") or str(PROJECT / ".sluice"))


@lru_cache(maxsize=8)
def _resolved(folder: str) -> Path:
    # Pages ask for it dozens of times each time they are drawn.
    return Path(folder).resolve()


def kernels_digest(folder: Path = ENGINES) -> str:
    """A digest of the kernels of all engines: the names and contents of their files."""
    digest = hashlib.blake2s(digest_size=8)
    for path in sorted(folder.rglob("kernel*/*.py")):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def machine() -> str:
    """This machine as far as its speed goes: the processor's model, and how many cores."""
    return f"{_processor()}, {os.cpu_count() or 1} cores"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
