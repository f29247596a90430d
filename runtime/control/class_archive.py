"""Java's classes as one file, from which Spark starts sooner: made once, by the set-up.

python -m runtime.control.class_archive
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from planner.errors import SluiceError
from runtime.control.warm import SAMPLE, warm
from runtime.spark.session import CLASSES, LIGHT_JAVA, end_java, session


def make(archive: Path) -> None:
    """Run a short workload both ways, and keep the classes that Java has loaded for it."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        fresh = Path(folder) / archive.name
        session(java_options=f'{LIGHT_JAVA} "-XX:ArchiveClassesAtExit={fresh}" -Xlog:disable')
        warm(SAMPLE)
        end_java()
        fresh.rename(archive)


def main() -> int:
    try:
        make(CLASSES)
    except (SluiceError, OSError) as error:
        print(f"Spark will start more slowly: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
