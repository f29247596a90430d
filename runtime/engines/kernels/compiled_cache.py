"""Compiled kernels on disk, sealed with a digest: a damaged file counts as absent.

Numba would end in a traceback over an empty index, and run machine code whatever became of it. What
it writes is a pickle, which ends where it says: a seal after it does not disturb.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from numba.core import caching

_MARK = b"sluice"
_SEAL_BYTES = len(_MARK) + 20


class SealedCacheFile(caching.IndexDataCacheFile):
    """An index of compiled kernels and their files."""

    def _load_index(self) -> dict[Any, str]:
        if not _is_sound(Path(self._index_path)):
            return {}
        found: dict[Any, str] = super()._load_index()
        return found

    def _load_data(self, name: str) -> Any:
        file = Path(self._data_path(name))
        if not _is_sound(file):
            # Numba then compiles it again, and replaces the file.
            raise FileNotFoundError(file)
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        with super()._open_for_write(filepath) as file:
            yield file
            file.flush()
            file.write(_seal(Path(file.name).read_bytes()))
            file.flush()
            os.fsync(file.fileno())


def _is_sound(file: Path) -> bool:
    try:
        content = file.read_bytes()
    except OSError:
        return False
    return content[-_SEAL_BYTES:] == _seal(content[:-_SEAL_BYTES])


def _seal(content: bytes) -> bytes:
    return _MARK + hashlib.sha1(content, usedforsecurity=False).digest()


def use_sealed_cache() -> None:
    """Let Numba keep all kernels that are declared from now on in sealed files."""
    vars(caching)["IndexDataCacheFile"] = SealedCacheFile
