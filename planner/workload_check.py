"""The content of a workload file put into its shape; what does not fit is told by its place."""

from __future__ import annotations

from pydantic import ValidationError

from planner.errors import PlanError
from planner.workload_schema import MAPPING, WORD, WorkloadPart


def checked(content: object) -> WorkloadPart:
    """The content of a file in its shape; a PlanError that names the first place that is not."""
    try:
        return WorkloadPart.model_validate(content)
    except ValidationError as error:
        raise _plan_error(error) from error


_EXPECTED = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping (key: value)",
    "model_type": "must be a mapping (key: value)",
    "model_attributes_type": "must be a mapping (key: value)",
}


def _plan_error(error: ValidationError) -> PlanError:
    first = error.errors(include_url=False)[0]
    kind, context = first["type"], first.get("ctx", {})
    path = [step for step in first["loc"] if step not in (WORD, MAPPING)]
    if kind == "unknown_key":
        return PlanError(str(context["message"]), _place([*path, context["key"]]))
    if kind in ("less_than_equal", "greater_than_equal"):
        return PlanError(f"must be 1, got {first['input']!r}", _place(path))
    if kind == "missing":
        return PlanError("is missing; add it", _place(path))
    expected = _EXPECTED.get(kind)
    if kind == "literal_error":
        expected = f"must be {context['expected']}"
        if WORD in first["loc"]:
            expected += " or a mapping"
    if expected is None:
        return PlanError(str(first["msg"]), _place(path))
    got = repr(first["input"])
    shown = got if len(got) <= 60 else f"{got[:60]}..."
    return PlanError(f"{expected}, got {shown}", _place(path))


def _place(path: list[int | str]) -> str:
    """`("streams", 2, "rate")` as `streams[2].rate`."""
    place = ""
    for step in path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else str(step)
    return place
