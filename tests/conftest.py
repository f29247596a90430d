"""What holds for all tests: groups and order, random examples, and that nothing outlives them."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests import examples
from tests.fuzzing import fuzz
from tools.die_with_parent import die_with_parent

examples.load_profile()
# Tests do not depend on how busy the machine is; what takes too long is tested with clocks.
os.environ["SLUICE_PLANNING_SECONDS"] = "600"

# Groups of the marks that tests have, the longest first; then what is in these folders.
_LONG = ("e2e spark", "spark", "e2e")
_FOLDERS = ("runtime", "pages", "planner")

if "PYTEST_XDIST_WORKER" in os.environ:
    die_with_parent()


def pytest_make_parametrize_id(val: object) -> str | None:
    """Long values are not spelt out in the names of tests."""
    return f"{val[:40]!r}..." if isinstance(val, str | bytes) and len(val) > 80 else None


# Before pytest-xdist reads the groups.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, so that no process is left with it at the end.

    Journeys that wait for what a run gave go to one process, which starts an app, and all others to
    another; all other tests on Spark to a third, which starts one session; the rest goes by file to
    whoever is free.
    """
    items.sort(key=_place)
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))


def _group(item: pytest.Item) -> str:
    if asked := item.get_closest_marker("xdist_group"):
        return str(asked.args[0])
    marks = [name for name in ("e2e", "spark") if item.get_closest_marker(name)]
    return " ".join(marks) or item.nodeid.split("::")[0]


def _place(item: pytest.Item) -> int:
    group = _group(item)
    if group in _LONG:
        return _LONG.index(group)
    folders = group.split("/")[:-1]
    return len(_LONG) + next(
        (n for n, name in enumerate(_FOLDERS) if name in folders), len(_FOLDERS)
    )


@pytest.fixture
def fuzzed(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Tries the seeds of a fuzzer, which is named in `tests/fuzzing.py`; the end says how many."""

    def run(name: str, check: Callable[[int], None]) -> None:
        record_property("fuzzed", f"{name}: {fuzz(name, check)}")

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    done = [dict(report.user_properties) for report in terminalreporter.getreports("passed")]
    if found := [own["fuzzed"] for own in done if "fuzzed" in own]:
        terminalreporter.section("fuzzed without a difference")
        for line in found:
            terminalreporter.write_line(str(line))
