"""Run benchmarks by name. Without a name it lists them; each writes to `bench/summary.json`."""

from __future__ import annotations

import argparse
import sys
import time

from bench.registry import BENCHMARKS, MissingPackageError


def main(arguments: list[str]) -> int:
    """List, run, or write the documents; figures of benchmarks that are not run stay."""
    parser = _parser()
    options = parser.parse_args(arguments)
    names = list(BENCHMARKS) if options.all else options.names
    if unknown := [name for name in names if name not in BENCHMARKS]:
        sys.stderr.write(f"no benchmark {unknown[0]!r}: python -m bench lists them\n")
        return 2
    if not (names or options.docs):
        parser.print_help()
    outcomes = [_run(name) for name in names]
    if options.docs:
        from bench.documents.write import write_documents

        write_documents()
    return 0 if all(outcomes) else 1


def _run(name: str) -> bool:
    """Run it and keep its figures; False where something is not installed, which is printed."""
    begun = time.monotonic()
    try:
        function = BENCHMARKS[name].load()
        from bench.summary import keep, machine

        file = keep(name, {"machine": machine(), **function()})
    except MissingPackageError as missing:
        sys.stderr.write(f"{missing}\n")
        return False
    print(f"{name}: {time.monotonic() - begun:.0f} s, all figures in {file}", flush=True)
    return True


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, BENCHMARKS))
    lines = [f"  {name:{width}}  {known.about}" for name, known in BENCHMARKS.items()]
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run benchmarks on this machine; best when nothing else runs.",
        epilog="benchmarks:\n" + "\n".join(lines),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run")
    parser.add_argument("--all", action="store_true", help="run all of them, one after another")
    parser.add_argument(
        "--docs", action="store_true", help="write the figures into README.md and docs/"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
