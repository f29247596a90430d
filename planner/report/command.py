"""What the commands of planner and runtime share: arguments, exit codes, how faults are said."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
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
    return load_workload(read_bytes(file), file).only(query)


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
