"""Numbers of the execution: laziness, buckets, memory, load, unit costs, weights of shedding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.whatif.numbers.path import Path, quoted
from planner.workload.execution import UNITS, Every
from planner.workload.validation import MAX_BUCKETS, whole
from planner.workload.workload import Workload


@dataclass(frozen=True, slots=True)
class _Setting:
    """A field of the execution; where it is not declared it is `absent`, and `usual` a start."""

    integer: bool
    usual: float
    absent: str


_SETTINGS = {
    "buckets": _Setting(True, 10, "one per value"),
    "memory": _Setting(True, 100, "unlimited"),
    "c_sys": _Setting(False, 1.0, "0"),
    "utilisation": _Setting(False, 0.7, "by unit costs"),
}
_SHEDDING = {"alpha": 1.0, "beta": 1.0}
# A lazy join begins with a tenth of the longest window.
_LAZY_SHARE = 10


def listed(workload: Workload) -> Iterator[str]:
    """The paths of this workload's execution."""
    yield from ("execution.evaluate.every", "execution.expire.every")
    yield from (f"execution.{field}" for field in _SETTINGS)
    buckets = workload.execution.buckets
    if isinstance(buckets, Mapping):
        yield from (f"execution.buckets.{quoted(name)}" for name in buckets)
    yield from (f"execution.shedding.{field}" for field in _SHEDDING)
    split = workload.execution.shedding.split
    if isinstance(split, Mapping):
        yield from (f"execution.shedding.split.{quoted(name)}" for name in split)
    yield from (f"execution.unit_costs.{unit}" for unit in workload.execution.unit_costs or {})


def read_path(workload: Workload, text: str, segments: list[str]) -> Path | None:
    """The path of a setting of the execution."""
    execution = workload.execution
    match segments:
        case ["execution", "evaluate" | "expire" as field, "every"]:
            now = getattr(execution, field)
            seconds = now.seconds if isinstance(now, Every) else None
            usual = workload.longest_window / _LAZY_SHARE or 1.0

            def lazy(value: float) -> Workload:
                return _executed(workload, field, Every(value))

            return Path(text, False, lazy, seconds, usual=usual, absent="at once")
        case ["execution", field] if field in _SETTINGS:
            return _setting_path(workload, text, field)
        case ["execution", "buckets", name] if isinstance(execution.buckets, Mapping):
            known = dict(execution.buckets)

            def one(value: float) -> Workload:
                count = whole(round(value), text, MAX_BUCKETS)
                return _executed(workload, "buckets", {**known, name: count})

            now = known.get(name)
            count = float(now) if isinstance(now, int) else None
            usual = _SETTINGS["buckets"].usual
            return Path(text, True, one, count, usual=usual, absent="one per value")
        case ["execution", "shedding", "alpha" | "beta" as field]:

            def weighed(value: float) -> Workload:
                changed: dict[str, Any] = {field: value}
                return _executed(workload, "shedding", replace(execution.shedding, **changed))

            now = getattr(execution.shedding, field)
            return Path(text, False, weighed, now, usual=_SHEDDING[field], absent="by the model")
        case ["execution", "shedding", "split", name]:
            return _split_path(workload, text, name)
        case ["execution", "unit_costs", unit] if unit in UNITS:
            return _unit_path(workload, text, unit)
    return None


def _unit_path(workload: Workload, text: str, unit: str) -> Path:
    """The seconds of a kind of work, where they are declared."""
    costs = dict(workload.execution.unit_costs or {})

    def costing(value: float) -> Workload:
        return _executed(workload, "unit_costs", {**costs, unit: value})

    return Path(text, False, costing, costs.get(unit), usual=1e-6, absent="measured")


def _split_path(workload: Workload, text: str, name: str) -> Path | None:
    """What one stream may keep, where each has its own part of the memory."""
    shedding = workload.execution.shedding
    split = dict(shedding.split) if isinstance(shedding.split, Mapping) else {}
    if name not in split:
        return None

    def shared(value: float) -> Workload:
        parts = {**split, name: whole(round(value), text, least=0)}
        return _executed(workload, "shedding", replace(shedding, split=parts))

    return Path(text, True, shared, float(split[name]))


def _setting_path(workload: Workload, text: str, field: str) -> Path:
    setting = _SETTINGS[field]

    def changed(value: float) -> Workload:
        return _executed(workload, field, whole(round(value), text) if setting.integer else value)

    now = getattr(workload.execution, field)
    value = float(now) if isinstance(now, int | float) else None
    if isinstance(now, Mapping):
        # Each window has its own number, which this one would replace.
        return Path(text, True, changed, None)
    usual, absent = setting.usual, setting.absent
    return Path(text, setting.integer, changed, value or None, usual=usual, absent=absent)


def _executed(workload: Workload, field: str, value: object) -> Workload:
    changed: dict[str, Any] = {field: value}
    return replace(workload, execution=replace(workload.execution, **changed))
