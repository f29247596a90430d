"""What the commands of planner and runtime share: arguments, exit codes, how faults are said."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from planner.errors import PlanError, SluiceError
from planner.files.workload_file import load_workload
from planner.workload.workload import Workload

BAD_INPUT = 2
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    def error(self, message: str) -> NoReturn:
        """Raise the mistake, to be said like every other one."""
        raise PlanError(f"{message}; see {self.prog} --help", "arguments")


Command = Callable[[argparse.Namespace], str]


def run_command(
    about: str | None,
    file: Path,
    commands: Mapping[str, Command],
    arguments: Sequence[str] | None,
    known: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    add_options: Mapping[str, Callable[[Parser], None]] = MappingProxyType({}),
) -> int:
    """Carry out one of the commands that a file describes, and return its exit code.

    `known` are settings of options, and `add_options` whole options, that the code knows.
    """

    def chosen() -> str:
        parser = Parser(prog=f"python -m {file.parent.name}", description=about)
        described = tomllib.loads(file.read_text(encoding="utf-8"))
        every = described.pop("every")
        subparsers = parser.add_subparsers(required=True, metavar=" | ".join(described))
        for name, command in described.items():
            added = subparsers.add_parser(name, help=command["help"], allow_abbrev=False)
            added.set_defaults(command=commands[name])
            _take(added, every | command.get("takes", {}), known)
            if name in add_options:
                add_options[name](added)
        options = parser.parse_args(arguments)
        run: Command = options.command
        return run(options)

    return carry_out(chosen)


def _take(
    parser: Parser, takes: Mapping[str, dict[str, Any]], known: Mapping[str, Mapping[str, Any]]
) -> None:
    """Add these arguments; those that are marked as `exclusive` exclude each other."""
    apart: argparse._ActionsContainer = parser
    if any("exclusive" in settings for settings in takes.values()):
        apart = parser.add_mutually_exclusive_group()
    for argument, described in takes.items():
        settings = {**described, **known.get(argument, {})}
        into = apart if settings.pop("exclusive", False) else parser
        if "type" in settings:
            settings["type"] = _TYPES[settings["type"]]
        into.add_argument(argument, **settings)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, got {text}")
    return int(text)


_TYPES = {"int": int, "float": float, "path": Path, "count": _count}


def carry_out(command: Callable[[], str]) -> int:
    """Print what the command returns; the exit code is 0, 2 for a bad input, 130 for Ctrl-C."""
    try:
        sys.stdout.write(command())
        sys.stdout.flush()
    except SluiceError as error:
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has left; without this Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def read_workload(file: str, query: str | None = None) -> Workload:
    """The workload of a file, with one of its queries alone if it is named."""
    return load_workload(read_bytes(file), file, Path(file).parent).only(query)


def read_bytes(file: str) -> bytes:
    """What a file holds; a PlanError where it cannot be read."""
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PlanError(f"cannot be read: {reason}", file) from None


def as_json(document: Mapping[str, Any] | list[Any]) -> str:
    """A document for another program: one line, and no number that JSON does not have."""
    return json.dumps(document, allow_nan=False) + "\n"
