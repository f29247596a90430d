"""Ways in which a file can be damaged, for tests that go through all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path


def _empty(file: Path) -> None:
    _change(file, b"")


def _halve(file: Path) -> None:
    content = file.read_bytes()
    _change(file, content[: len(content) // 2])


def _garble(file: Path) -> None:
    """As long as before, with other bytes in the middle third."""
    content = bytearray(file.read_bytes())
    third = len(content) // 3
    content[third : 2 * third] = bytes(byte ^ 0xA5 for byte in content[third : 2 * third])
    _change(file, bytes(content))


def _flip(file: Path) -> None:
    _change(file, flipped(file.read_bytes()))


def flipped(content: bytes) -> bytes:
    """The same with another bit in one byte in the middle."""
    changed = bytearray(content)
    changed[len(changed) // 2] ^= 1
    return bytes(changed)


def _change(file: Path, content: bytes) -> None:
    """In place, with the times it had: whoever looks at these alone sees nothing."""
    times = file.stat()
    file.write_bytes(content)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


DAMAGES: Mapping[str, Callable[[Path], None]] = {
    "emptied": _empty,
    "halved": _halve,
    "garbled": _garble,
    "flipped": _flip,
}
