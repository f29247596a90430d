"""Texts packed into a part of a link, and taken out again: anyone may have written the link."""

from __future__ import annotations

import base64
import zlib

from planner.errors import PlanError

_PLACE = "the link"


def packed(text: str) -> str:
    """The text in letters that links may have."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode()


def unpacked(link: str, most_bytes: int, what: str) -> str:
    """The text again; a PlanError where it is longer than `what` may be, or damaged."""
    try:
        opened = zlib.decompressobj()
        text = opened.decompress(base64.urlsafe_b64decode(link.encode()), most_bytes)
        if opened.unconsumed_tail:
            raise PlanError(f"holds more than {what}; open the file instead", _PLACE)
        return text.decode()
    except (ValueError, zlib.error) as error:
        raise PlanError("is damaged; ask for it again, or open the file", _PLACE) from error
