"""Run a command that does not outlive the process that started it, however that one ends.

Usage: python tools/die_with_parent.py COMMAND [ARGUMENT ...]

Linux kills it as soon as its parent is gone; elsewhere it is run as it is.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Have this process killed when its parent ends; what it executes keeps that."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    parent = os.getppid()
    die_with_parent()
    if os.getppid() != parent:  # It ended meanwhile.
        sys.exit("the process that started this has ended")
    # A shell lets what it starts in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
