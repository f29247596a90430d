"""Look all locked packages up among known vulnerabilities, and say of which nothing is known.

pip-audit asks the package index for each version. Where an index has no page for a version, the
page of the project lists the vulnerabilities of its newest one: enough where that is locked. Fails
where a vulnerability is known or pip-audit is missing; where nothing can be reached it says so, and
fails nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests

_PROJECT = Path(__file__).parents[1]
_LOCK = _PROJECT / "locks" / "requirements-test.lock"
_TIMEOUT_SECONDS = 15
_AT_ONCE = 8
# The page of a project as the index has it; None where there is none.
Page = Callable[[str], dict[str, Any] | None]


def main() -> int:
    """Print what is known; 1 where something is."""
    tool = Path(sys.executable).with_name("pip-audit")
    if not tool.exists():
        print("Not audited: pip-audit is missing; run ./check --setup.", file=sys.stderr)
        return 1
    options = ("--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json")
    asked = subprocess.run(
        [tool, *options, "--requirement", _LOCK], capture_output=True, text=True, check=False
    )
    try:
        packages = json.loads(asked.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = (asked.stderr.strip().splitlines() or ["it says nothing"])[-1][:120]
        print(f"Not audited: the package index cannot be reached ({reason}).", file=sys.stderr)
        return 0
    lines, found = report(packages, _page)
    print("\n".join(lines), file=sys.stderr)
    return int(found)


def report(packages: Iterable[dict[str, Any]], page: Page) -> tuple[list[str], bool]:
    """What is known of packages, line by line, and whether a vulnerability is among it."""
    packages = list(packages)
    skipped = [package for package in packages if "skip_reason" in package]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        pages = pool.map(page, (package["name"] for package in skipped))
    lines, unknown, found = [], [], False
    for package, shown in zip(skipped, pages, strict=True):
        name, version = package["name"], _version(package)
        if shown is None or shown["info"]["version"] != version or "vulnerabilities" not in shown:
            unknown.append(f"{name} {version}")
        else:
            package.update(version=version, vulns=shown["vulnerabilities"])
    for package in packages:
        for fault in package.get("vulns", ()):
            if not fault.get("withdrawn"):
                found = True
                mended = ", ".join(fault.get("fixed_in") or fault.get("fix_versions") or ())
                lines.append(
                    f"{package['name']} {package['version']}: {fault['id']}, "
                    + (f"mended in {mended}" if mended else "not mended yet")
                )
    known = len(packages) - len(unknown)
    lines.append(f"{known} of {len(packages)} packages looked up among known vulnerabilities.")
    if unknown:
        lines.append(f"Not audited, for the index has no list of them: {', '.join(unknown)}.")
    return lines, found


def _version(package: dict[str, Any]) -> str:
    """The version of a package that pip-audit did not find: only the reason names it."""
    version: str = package.get("version") or package["skip_reason"].rpartition("(")[2].rstrip(")")
    return version


def _page(name: str) -> dict[str, Any] | None:
    # Where pip itself looks packages up.
    from pip._internal.models.index import PyPI

    try:
        answer = requests.get(f"{PyPI.pypi_url}/{name}/json", timeout=_TIMEOUT_SECONDS)
        found: dict[str, Any] = answer.json()
    except requests.RequestException:
        return None
    return found if answer.ok else None


if __name__ == "__main__":
    sys.exit(main())
