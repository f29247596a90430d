"""Spark masters: which addresses there are, and what a run must know of one before it starts."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

from planner.errors import RunError

SHARED = "SLUICE_SHARED"
_LOCAL = re.compile(r"local(\[(\*|[1-9]\d{0,2})(,\d{1,3})?\])?")
_STANDALONE = re.compile(r"spark://([^\s,/:]+:\d{1,5}(,[^\s,/:]+:\d{1,5})*)")
_OTHERS = re.compile(r"yarn|k8s://\S+|local-cluster\[\d+,\d+,\d+\]")
_LOOPBACK = ("localhost", "127.0.0.1")
_PATIENCE_SECONDS = 5.0


def check_master(master: str) -> None:
    """A RunError unless it is the address of a Spark master."""
    if not any(form.fullmatch(master) for form in (_LOCAL, _STANDALONE, _OTHERS)):
        raise RunError(
            f"{master[:80]!r} is no Spark master; give local[N], spark://HOST:PORT, yarn or "
            "k8s://URL",
            "--master",
        )


def is_local(master: str | None) -> bool:
    """Whether tasks run inside this process's Java."""
    return master is None or _LOCAL.fullmatch(master) is not None


def is_on_this_machine(master: str | None) -> bool:
    """Whether tasks see this machine's files, as a cluster on loopback does."""
    if is_local(master) or (master or "").startswith("local-cluster"):
        return True
    hosts = {host for host, _ in _hosts(master or "")}
    return bool(hosts) and hosts <= set(_LOOPBACK)


def usual_shared(master: str | None) -> Path | None:
    """The folder that all machines of a cluster see, if the environment names one."""
    named = os.environ.get(SHARED)
    return Path(named).resolve() if named and not is_local(master) else None


def check_shared(master: str | None, shared: Path | None) -> None:
    """A RunError where a cluster has no folder to find the tuples in."""
    if shared is None and not is_on_this_machine(master):
        raise RunError(
            "a cluster needs a folder that all its machines see under one path, for micro-batches "
            f"and checkpoints; name it with --shared DIR or {SHARED}",
            "--shared",
        )


def own_address(master: str) -> str:
    """The address at which this machine is seen by the master; a RunError if none answers."""
    hosts = _hosts(master)
    if not hosts:
        return "127.0.0.1" if is_on_this_machine(master) else socket.getfqdn()
    problem: OSError | None = None
    for host, port in hosts:
        try:
            with socket.create_connection((host, port), _PATIENCE_SECONDS) as reached:
                address: str = reached.getsockname()[0]
                return address
        except (OSError, OverflowError) as error:
            problem = error if isinstance(error, OSError) else OSError("no such port")
    raise RunError(
        f"nothing answers at {master} ({problem}); start the master, or mend the address",
        "--master",
    )


def _hosts(master: str) -> list[tuple[str, int]]:
    found = _STANDALONE.fullmatch(master)
    if found is None:
        return []
    pairs = (place.rsplit(":", 1) for place in found[1].split(","))
    return [(host, int(port)) for host, port in pairs]
