"""Every pin is locked: what people read in requirements*.txt is what is installed."""

from __future__ import annotations

import re

import pytest

from runtime.data.folders import PROJECT
from runtime.spark.java import LOCK, PACKAGE

_PIN = re.compile(r"^([\w.-]+==[\w.]+)", re.MULTILINE)


def _pins(name: str) -> set[str]:
    return {pin.lower() for pin in _PIN.findall((PROJECT / name).read_text())}


@pytest.mark.parametrize("name", ["requirements", "requirements-test"])
def test_every_pin_is_locked(name: str) -> None:
    pins = _pins("requirements.txt") | _pins(f"{name}.txt")
    assert pins <= _pins(f"locks/{name}.lock"), "run tools/lock.sh"


def test_java_is_locked() -> None:
    assert PACKAGE in LOCK.read_text(), "run tools/lock.sh"
