"""The audit fails where a vulnerability is known, and says of which packages nothing is."""

from __future__ import annotations

from typing import Any

from tools.audit import report

_SOUND = {"name": "sound", "version": "1.0", "vulns": []}
_PAGES: dict[str, dict[str, Any]] = {
    "newest": {"info": {"version": "2.0"}, "vulnerabilities": [{"id": "X-1", "fixed_in": ["2.1"]}]},
    "older": {"info": {"version": "3.1"}, "vulnerabilities": []},
    "taken-back": {
        "info": {"version": "4.0"},
        "vulnerabilities": [{"id": "X-2", "withdrawn": "2026-01-01"}],
    },
}


def _skipped(name: str, version: str) -> dict[str, Any]:
    return {"name": name, "skip_reason": f"not found and could not be audited: {name} ({version})"}


def test_the_page_of_a_project_speaks_of_its_newest_version_alone() -> None:
    skipped = [_skipped("older", "3.0"), _skipped("taken-back", "4.0"), _skipped("no-page", "5.0")]
    lines, found = report([_SOUND, *skipped], _PAGES.get)
    assert not found
    assert lines == [
        "2 of 4 packages looked up among known vulnerabilities.",
        "Not audited, for the index has no list of them: older 3.0, no-page 5.0.",
    ]


def test_a_known_vulnerability_is_found() -> None:
    known = {"name": "old", "version": "0.1", "vulns": [{"id": "X-3", "fix_versions": []}]}
    lines, found = report([known, _skipped("newest", "2.0")], _PAGES.get)
    assert found
    assert lines[:2] == ["old 0.1: X-3, not mended yet", "newest 2.0: X-1, mended in 2.1"]
