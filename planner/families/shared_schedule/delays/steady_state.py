"""Delays in steady state under Poisson arrivals, in closed form: LWO, SWF, and queries alone.

LWO is an M/G/1 queue: a tuple waits lambda E[S^2] / 2(1 - rho) (Pollaczek and Khinchine) for scans
S of the largest window; what it finds lies uniformly along its own scan. A match of a short window
says that another tuple came just before, whose scan may still wait: adding a scan S to a queue with
work V adds (S V + S^2 / 2) / (1 - rho) of work times time. A query by itself is the same with its
own window.

SWF is a feedback queue: T_i is the scan of partial window i, X_i of all up to i, rho_i their load.
A tuple that arrives finds the work ahead of its window i

    U_i = (lambda E[X_i^2] + sum over j > i of lambda E[T_j^2]) / 2 (1 - rho_i),

since a scan that has begun is not interrupted. Until its own scan of i begins, every later tuple
does X_(i-1) before it; so it completes window i after

    F_i = (U_i + E[X_(i-1)]) / (1 - rho_(i-1)) + E[T_i].

A match of partial window p goes to window q at F_p if the tuple before has completed q when this
one begins, else at F_q. That is so when a tuple finds no one else waiting up to q: the server is
idle, or scans beyond q and it is the first to come since, or makes the last scan of q of a busy
period and it is the first to come since. With phi_j the chance that none comes during T_j,

    P_q = (1 - rho + sum over j > q of (1 - phi_j)) / phi_q,

and the rest of a scan that a first one meets is E[T_j] - (1 - phi_j) / lambda on the average.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.families.shared_schedule.delays.scan_times import Scans, partial_lengths
from planner.joins.arrays import Floats


@dataclass(frozen=True)
class WindowDelays:
    """Mean delays in seconds by window: of results, until they are found, and of whole scans."""

    results: Floats
    found: Floats
    scans: Floats


@dataclass(frozen=True)
class SteadyState:
    """What closed forms say of a join.

    `work` is the mean work that an arriving tuple finds, `inside` by window how far into an
    undisturbed scan its matches are found.
    """

    work: float
    inside: Floats
    lwo: WindowDelays
    swf: WindowDelays
    isolated: Floats


def steady_state(scans: Scans, windows: Floats) -> SteadyState:
    """The delays of these windows, in seconds or rows; the load must be below 1."""
    ahead = scans.mean_by_match(windows)
    waits = _waits(scans, windows)
    # Half of the scan lies before a match, on the average; the match itself takes its time.
    inside = ahead / 2 + scans.find
    close = _close_together(scans, windows, float(waits[-1]))
    results = waits[-1] + close + inside
    lwo = WindowDelays(results, results, waits[-1] + scans.mean(windows))
    return SteadyState(float(waits[-1]), inside, lwo, _feedback(scans, windows), waits + inside)


def _waits(scans: Scans, windows: Floats) -> Floats:
    """How long tuples wait for a server that scans one window alone, by Pollaczek and Khinchine."""
    load = scans.rate * scans.mean(windows)
    return np.asarray(scans.rate * scans.squared(windows) / (2 * (1 - load)))


def _close_together(scans: Scans, windows: Floats, work: float) -> Floats:
    """How much longer matches of each window wait, since a tuple came within the window before."""
    scan = float(scans.mean_by_match(windows[-1:])[0]) + scans.find
    load = scans.rate * float(scans.mean(windows[-1:])[0])
    lasts = (work + scan / 2) / (1 - load)
    seconds = windows * scans.seconds_per_length
    return np.asarray(scan * lasts / seconds * -np.expm1(-seconds / max(lasts, 1e-300)))


def _feedback(scans: Scans, windows: Floats) -> WindowDelays:
    parts = partial_lengths(windows)
    rate, count = scans.rate, len(windows)
    before = np.concatenate(([0.0], windows[:-1]))
    load, load_before = rate * scans.mean(windows), rate * scans.mean(before)
    own, squares = scans.mean(parts), scans.squared(parts)
    beyond = _beyond(squares)
    ahead = rate * (scans.squared(windows) + beyond) / (2 * (1 - load))
    completed = (ahead + scans.mean(before)) / (1 - load_before) + own

    none = scans.none_arrives(parts)
    rest = own - (1 - none) / rate
    alone = (1 - load[-1] + _beyond(1 - none)) / none
    met = _beyond(rest) + alone * rest
    # What a tuple scans itself, as matches see it: those of long scans are many.
    part_by_match = scans.mean_by_match(parts)
    before_by_match = scans.mean_by_match(before)
    weights = parts / windows[:, None]

    results, found = np.empty(count), np.empty(count)
    by_match = (ahead + before_by_match) / (1 - load_before) + part_by_match + scans.find
    for q in range(count):
        upto = slice(q + 1)
        # By partial window: the time to complete it where nobody is unfinished, times how often.
        begun = (met[q] + alone[q] * before_by_match[upto]) / (1 - load_before[upto])
        free = begun + alone[q] * (part_by_match[upto] + scans.find)
        held = by_match[q] - free[q]
        results[q] = weights[q, upto] @ (free + held)
        found[q] = weights[q, upto] @ (by_match[upto] - part_by_match[upto] / 2)
    return WindowDelays(results, found, completed)


def _beyond(figures: Floats) -> Floats:
    """For each window the sum over the partial windows beyond it."""
    return np.asarray(np.cumsum(figures[::-1])[::-1] - figures)
