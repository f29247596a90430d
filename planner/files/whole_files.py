"""Files that are whole or absent: written beside, synced and renamed, and sealed with a digest.

What cannot be read, or is not what was written, counts as absent: no damaged file gives an answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

_DIGEST, _CONTENT = "digest", "content"


def digest_of_bytes(content: bytes) -> bytes:
    """A digest against damage, not against forgery: the processor has instructions for it."""
    return hashlib.sha1(content, usedforsecurity=False).digest()


@contextmanager
def written_whole(file: Path, synced: bool = True) -> Iterator[Path]:
    """A file beside, to be written within; it then takes the place of `file`, on disk for good.

    Without `synced` a machine that loses its power may lose it, or leave a part of it.
    """
    beside = file.with_name(f".{file.name}.{uuid.uuid4().hex[:12]}.unfinished")
    try:
        yield beside
        if synced:
            _sync(beside)
        beside.replace(file)
        if synced:
            _sync(file.parent)
    finally:
        beside.unlink(missing_ok=True)


def write_whole(file: Path, content: bytes, synced: bool = True) -> None:
    """Write a file so that a reader finds it whole, as it was before, or not at all."""
    with written_whole(file, synced) as beside:
        beside.write_bytes(content)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_sealed_json(file: Path, content: Any, synced: bool = True) -> None:
    """Write JSON, of dataclasses too, with its digest."""
    write_whole(file, _sealed(content), synced)


def append_sealed_json(file: Path, content: Any) -> None:
    """Add a line of JSON with its digest, on disk whenever the system writes it."""
    with file.open("ab") as lines:
        # What ends in the middle of a line, where a process was killed, is a line of its own.
        lines.write(b"\n" + _sealed(content))


def read_sealed_json(file: Path) -> Any:
    """The JSON that `write_sealed_json` wrote; None where it is not there or not as written."""
    try:
        return _opened(file.read_bytes())
    except OSError:
        return None


def read_sealed_lines(file: Path) -> list[Any]:
    """What `append_sealed_json` wrote, in this order, without lines that are not as written."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError:
        return []
    return [content for line in lines if (content := _opened(line)) is not None]


def _sealed(content: Any) -> bytes:
    text = _as_json(content)
    digest = digest_of_bytes(text.encode()).hex()
    return f'{{"{_DIGEST}": "{digest}", "{_CONTENT}": {text}}}\n'.encode()


def _opened(sealed: bytes) -> Any:
    try:
        document = json.loads(sealed)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.keys() != {_DIGEST, _CONTENT}:
        return None
    content = document[_CONTENT]
    same = document[_DIGEST] == digest_of_bytes(_as_json(content).encode()).hex()
    return content if same else None


def read_text_if_whole(file: Path, is_whole: Callable[[str], bool]) -> str | None:
    """The text of a file; None where it is not there, is no text, or is not whole."""
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if is_whole(text) else None


def _as_json(content: Any) -> str:
    return json.dumps(content, allow_nan=False, default=_by_field)


def _by_field(record: Any) -> dict[str, Any]:
    kind: Any = type(record)
    return {name: getattr(record, name) for name in _field_names(kind)}


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
