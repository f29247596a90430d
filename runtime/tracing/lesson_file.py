"""Lessons: files that a lecturer writes. docs/TEACHING.md says what they hold.

A lesson is YAML: a workload, maybe its tuples one by one, one plan or two to watch, some Markdown,
a question, and what the student may change. Mistakes are PlanErrors with the file and the place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import PlanError
from planner.files.safe_yaml import read_yaml, write_yaml
from planner.files.tuple_table import FIRST, LAST, ColumnData, Table
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload

MOST_TUPLES = 2_000
MOST_STEPS = 200
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_KEYS = {
    "version", "title", "paper", "place", "order", "workload", "sample", "family", "plans",
    "tuples", "start", "steps", "show", "counter", "picture", "text", "question", "change", "after",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """What the student predicts before the answer is shown; `answer` is a place among `choices`."""

    ask: str
    choices: tuple[str, ...]
    answer: int
    why: str


@dataclass(frozen=True, slots=True)
class LessonVariants:
    """What the student may change: named variants of the workload, and what to look for."""

    text: str
    variants: Mapping[str, Workload] = field(default_factory=dict)
    plans: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as it was read. Without tuples they are generated; `start` is in microseconds, None
    where steps begin with full windows. `counter` is the objective whose figure runs beside plans,
    None the family's own; `picture` is shown below the steps, as the page Plans names it."""

    name: str
    title: str
    paper: str
    place: str
    order: int
    workload: Workload
    family: str | None
    plans: tuple[str, ...]
    tables: Mapping[str, Table] | None
    start: int | None
    steps: int
    show: tuple[str, ...]
    counter: str | None
    picture: str
    text: str
    question: Question | None
    change: LessonVariants | None
    after: str


def lessons(folder: Path) -> tuple[list[Lesson], list[PlanError]]:
    """All lessons of a folder, in their order; and what is wrong with files that are none."""
    found, mistakes = [], []
    for file in sorted(folder.glob("*.yaml")):
        try:
            found.append(read_lesson(file))
        except PlanError as error:
            mistakes.append(error)
    return sorted(found, key=lambda lesson: (lesson.order, lesson.name)), mistakes


def read_lesson(file: Path) -> Lesson:
    """One lesson; a mistake in it is a PlanError that says where."""
    if not _NAME.fullmatch(file.stem):
        raise PlanError("a lesson's file is named with small letters, digits and -", file.name)
    try:
        content = read_yaml(file.read_bytes())
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise PlanError(f"cannot be read: {reason}", f"lesson {file.name}") from error
    except PlanError as error:
        raise PlanError(f"{error}", f"lesson {file.name}") from error
    return _Reader(file, content).lesson()


class _Reader:
    def __init__(self, file: Path, content: object) -> None:
        self.file = file
        if not isinstance(content, dict):
            raise self._error("", "must be a mapping with title, workload or sample, and plans")
        self.content: dict[str, Any] = content
        unknown = sorted(set(content) - _KEYS)
        if unknown:
            raise self._error(unknown[0], f"is not known; known are {', '.join(sorted(_KEYS))}")
        if content.get("version", 1) != 1:
            raise self._error("version", "must be 1")

    def _error(self, place: str, problem: str) -> PlanError:
        at = f"{self.file.name}: {place}" if place else self.file.name
        return PlanError(problem, f"lesson {at}")

    def _text(self, key: str, default: str | None = None, of: Any = None, place: str = "") -> str:
        found = (self.content if of is None else of).get(key, default)
        if not isinstance(found, str) or (default is None and not found.strip()):
            raise self._error(f"{place}{key}", "must be a text")
        return found.strip()

    def _whole(self, key: str, default: int, least: int, most: int) -> int:
        found = self.content.get(key, default)
        if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
            raise self._error(key, f"must be a whole number from {least} to {most}")
        return found

    def _texts(self, key: str, of: Any, least: int, most: int, place: str = "") -> tuple[str, ...]:
        found = of.get(key, [])
        fits = isinstance(found, list) and all(isinstance(one, str) for one in found)
        if not fits or not least <= len(found) <= most:
            raise self._error(f"{place}{key}", f"must be a list of {least} to {most} texts")
        return tuple(found)

    def lesson(self) -> Lesson:
        content = self.content
        workload, raw = self._workload()
        start = content.get("start", "empty")
        if start not in ("empty", "full"):
            raise self._error("start", "must be `empty` or `full`: the windows at the first step")
        tables = self._tables(workload) if "tuples" in content else None
        family = content.get("family")
        return Lesson(
            name=self.file.stem,
            title=self._text("title"),
            paper=self._text("paper", ""),
            place=self._text("place", ""),
            order=self._whole("order", 100, 0, 1000),
            workload=workload,
            family=None if family is None else self._text("family"),
            plans=self._texts("plans", content, 1, 2),
            tables=tables,
            start=None if start == "full" else 0,
            steps=self._whole("steps", 40, 1, MOST_STEPS),
            show=self._texts("show", content, 0, 4),
            counter=self._text("counter") if "counter" in content else None,
            picture=self._text("picture", ""),
            text=self._text("text"),
            question=self._question(),
            change=self._change(raw),
            after=self._text("after", ""),
        )

    def _workload(self) -> tuple[Workload, dict[str, Any]]:
        content = self.content
        if ("workload" in content) == ("sample" in content):
            raise self._error("workload", "give either `workload` or `sample`")
        if "sample" in content:
            name = self._text("sample")
            file = self.file.parents[1] / f"{name}.yaml"
            if not _NAME.fullmatch(name) or not file.is_file():
                raise self._error("sample", f"there is no sample workload {name!r}")
            raw = read_yaml(file.read_bytes())
        else:
            raw = content["workload"]
        if not isinstance(raw, dict):
            raise self._error("workload", "must be a workload, as in a workload file")
        return self._loaded(raw, "workload"), raw

    def _loaded(self, raw: dict[str, Any], place: str) -> Workload:
        whole = {"version": 1, "name": self.content.get("title", self.file.stem), **raw}
        return load_workload(write_yaml(whole), f"lesson {self.file.name}: {place}")

    def _question(self) -> Question | None:
        raw = self.content.get("question")
        if raw is None:
            return None
        if not isinstance(raw, dict):
            raise self._error("question", "must have ask, choices, answer and why")
        choices = self._texts("choices", raw, 2, 5, "question.")
        answer = raw.get("answer")
        if not isinstance(answer, int) or not 1 <= answer <= len(choices):
            raise self._error(
                "question.answer", f"must be the number of a choice, 1 to {len(choices)}"
            )
        ask, why = (self._text(key, of=raw, place="question.") for key in ("ask", "why"))
        return Question(ask, choices, answer - 1, why)

    def _change(self, workload: dict[str, Any]) -> LessonVariants | None:
        raw = self.content.get("change")
        if raw is None:
            return None
        if not isinstance(raw, dict):
            raise self._error("change", "must have text, and may have variants")
        variants, plans = {}, {}
        given = raw.get("variants", {})
        if not isinstance(given, dict) or len(given) > 6:
            raise self._error("change.variants", "must be up to 6 named changes of the workload")
        for name, parts in given.items():
            place = f"change.variants.{name}"
            if not isinstance(parts, dict):
                raise self._error(place, "must say which parts of the workload are otherwise")
            own = dict(parts)
            if "plans" in own:
                plans[str(name)] = self._texts("plans", own, 1, 2, f"{place}.")
                del own["plans"]
            variants[str(name)] = self._loaded(_merged(workload, own), place)
        return LessonVariants(self._text("text", of=raw, place="change."), variants, plans)

    # --- tuples ----------------------------------------------------------------------------------

    def _tables(self, workload: Workload) -> dict[str, Table]:
        given = self.content["tuples"]
        names = [*(s.name for s in workload.streams), *(r.name for r in workload.relations)]
        if not isinstance(given, dict) or set(given) != set(names):
            raise self._error("tuples", f"must have a list for each of {', '.join(names)}")
        relations = {relation.name for relation in workload.relations}
        return {name: self._table(name, given[name], name in relations) for name in names}

    def _table(self, name: str, rows: Any, relation: bool) -> Table:
        place = f"tuples.{name}"
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self._error(place, "must be a list such as [{at: 1, k: 3}]")
        if len(rows) > MOST_TUPLES:
            raise self._error(place, f"at most {MOST_TUPLES} tuples")
        times = ("from", "until") if relation else ("at",)
        attributes = sorted({key for row in rows for key in row} - set(times))
        columns = {key: self._column(place, key, rows) for key in attributes}
        seq, none = np.arange(len(rows), dtype=np.int64), np.empty(0, np.int64)
        if relation:
            begin, end = (
                np.array([self._time(place, row.get(key), other) for row in rows], np.int64)
                for key, other in (("from", FIRST), ("until", LAST))
            )
            return Table(seq, none, columns, begin, end)
        ts = np.array([self._time(place, row.get("at"), None) for row in rows], np.int64)
        if (np.diff(ts) < 0).any():
            raise self._error(place, "must be in the order of their times")
        return Table(seq, ts, columns)

    def _time(self, place: str, seconds: Any, otherwise: int | None) -> int:
        if seconds is None and otherwise is not None:
            return otherwise
        if (
            not isinstance(seconds, int | float)
            or isinstance(seconds, bool)
            or not 0 <= seconds < 1e6
        ):
            raise self._error(place, f"at must be seconds from 0 to a million, got {seconds!r}")
        return round(seconds * 1_000_000)

    def _column(self, place: str, key: str, rows: list[dict[str, Any]]) -> ColumnData:
        values = [row.get(key) for row in rows]
        known = [value for value in values if value is not None]
        valid = np.array([value is not None for value in values], np.bool_)
        nothing: int | str = 0
        if all(isinstance(v, int) and not isinstance(v, bool) for v in known):
            kind = "int64"
        elif all(isinstance(v, int | float) and not isinstance(v, bool) for v in known):
            kind = "float64"
        elif all(isinstance(v, str) for v in known):
            kind, nothing = "object", ""
        else:
            raise self._error(f"{place}.{key}", "must be numbers only, or texts only")
        filled = np.array([nothing if v is None else v for v in values], kind)
        return ColumnData(filled, None if valid.all() else valid)


def _merged(workload: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """The workload with these parts otherwise; lists of named things by name."""
    whole = dict(workload)
    for key, part in parts.items():
        before = whole.get(key)
        if isinstance(part, dict) and isinstance(before, dict):
            whole[key] = {**before, **part}
        elif isinstance(part, list) and isinstance(before, list):
            named = {one.get("name"): one for one in part if isinstance(one, dict)}
            whole[key] = [
                {**one, **named.get(one.get("name"), {})} if isinstance(one, dict) else one
                for one in before
            ]
        else:
            whole[key] = part
    return whole
