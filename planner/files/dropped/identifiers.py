"""Names of files and columns as names of streams and attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from planner.files.query.tokens import RESERVED
from planner.workload.validation import MAX_NAME

_LONGEST = 60
_OTHER = re.compile(r"\W+")


def identifier(text: str, otherwise: str) -> str:
    """The text as a name that needs no quotes in a query.

    >>> identifier("Order date", "c"), identifier("2nd try", "c"), identifier("€", "c")
    ('Order_date', 'c_2nd_try', 'c')
    """
    name = _OTHER.sub("_", text.strip()).strip("_")[:_LONGEST]
    if not name:
        return otherwise
    if not name.isidentifier():
        name = f"{otherwise}_{name}"
    return f"{name}_" if RESERVED.fullmatch(name) else name


def identifiers(texts: Sequence[str], otherwise: str) -> list[str]:
    """A different name for each text, whatever the case of letters.

    >>> identifiers(["id", "ID", ""], "column")
    ['id', 'ID_2', 'column_3']
    """
    assert _LONGEST + 20 < MAX_NAME
    names: list[str] = []
    taken: set[str] = set()
    for place, text in enumerate(texts, 1):
        plain = identifier(text, otherwise)
        name = f"{plain}_{place}" if plain == otherwise and not text.strip() else plain
        number = 2
        while name.lower() in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name.lower())
        names.append(name)
    return names


def stream_names(files: Sequence[str]) -> list[str]:
    """A stream's name for each file.

    >>> stream_names(["My Orders.csv", "../../etc/passwd", "order.csv"])
    ['My_Orders', 'passwd', 'order_']
    """
    return identifiers([PurePath(file.replace("\\", "/")).stem for file in files], "stream")
