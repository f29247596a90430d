"""A seeded sample of arrivals, and what each arriving tuple examines and matches by partial window.

Windows are full from the start. Where they are small enough all tuples are drawn, and counted in
the windows; else each count is drawn by itself, since neighbours in large windows hardly differ by
chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.families.shared_schedule.delays.scan_times import partial_lengths
from planner.families.shared_schedule.model import ScheduleModel
from planner.joins.arrays import Floats, Ints
from planner.joins.shared.meetings import Meeting
from planner.joins.shared.query_groups import BOTH
from planner.seconds.clock import Clock
from planner.workload.streams import Arrivals

# Scans of so many partial windows are simulated for each policy, about, of so many tuples at most.
MOST_SCANS = 100_000
MOST_TUPLES = 30_000
FEWEST_TUPLES = 500
# Windows with more tuples than this are not filled with drawn ones.
MOST_STORED = 250_000
# The first tuples find an empty queue, and are not measured.
WARMUP_SHARE = 0.05
_LARGEST = 2**62


@dataclass(frozen=True)
class ArrivalSample:
    """Arriving tuples in order: when they come, and by window the seconds of their scans up to it.

    `matches` are by partial window. Tuples from `measured` on are measured.
    """

    ts: Floats
    spent: Floats
    matches: Ints
    measured: int
    seconds: float


def sample_size(windows: int, scans: int = MOST_SCANS) -> int:
    """How many tuples are simulated with so many windows; fewer where fewer scans are asked for."""
    least = FEWEST_TUPLES * scans // MOST_SCANS
    return int(np.clip(scans / windows, least, MOST_TUPLES))


def drawn_sample(
    model: ScheduleModel, clock: Clock, count: int, windows: Sequence[int] | None = None
) -> ArrivalSample:
    """About so many tuples; the same for the same seed of the workload.

    Scans are split at these windows, by default at all. The largest must be among them.
    """
    random = np.random.default_rng([model.workload.run.seed, 12])
    # Microseconds stay within what an integer holds, also where tuples hardly ever come.
    seconds = min(count / model.rate, _LARGEST / 1e6)
    if not clock.is_steady:
        # There is no steady state: it is simulated as far as a run would go.
        seconds = min(seconds, model.workload.run.duration)
    counting = _Counting(model, random, seconds, windows or model.windows)
    sides = [counting.side(side) for side in BOTH]
    ts, examined, matches = (np.concatenate(columns) for columns in zip(*sides, strict=True))
    # Bursts of no finite variance may be as long as all the rest.
    order = np.argsort(ts, kind="stable")[: 3 * count]
    ts, examined, matches = ts[order], examined[order], matches[order]
    spent = np.cumsum(examined * clock.compare + matches * clock.output, axis=1)
    spent = np.concatenate((np.zeros((len(ts), 1)), spent), axis=1)
    if all(stream.arrivals.kind != "pareto" for stream in model.streams) and spent[:, -1].any():
        # By chance it would be loaded a little more or less: delays hang on that most of all.
        spent *= clock.load * seconds / spent[:, -1].sum()
    first = round(WARMUP_SHARE * len(ts)) if clock.is_steady else 0
    return ArrivalSample(ts, spent, matches, first, seconds)


class _Counting:
    """The tuples of both streams, and how many each arriving one meets."""

    def __init__(
        self,
        model: ScheduleModel,
        random: np.random.Generator,
        seconds: float,
        windows: Sequence[int],
    ) -> None:
        self._model, self._random, self._seconds = model, random, seconds
        self._windows = windows
        largest = float(model.lengths[-1])
        stored = [way.per_length * largest for way in model.ways]
        keys = max((m.values[1] for m in model.meetings if m.values is not None), default=1)
        self._history = max(
            largest if not way.counted else 1.05 * largest / way.rate + 10 / way.rate
            for way in model.ways
        )
        span = 1e6 * (self._history + seconds) + largest
        # Until few rows of a slow stream have come, a fast one may have sent any number.
        history = self._history * max(model.rates)
        few = max(*stored, history) <= MOST_STORED
        self._drawn = few and (keys + 1) * span < _LARGEST
        past = self._history if self._drawn else 0.0
        self._times = [
            self._arrivals(stream.arrivals, rate, past)
            for stream, rate in zip(model.streams, model.rates, strict=True)
        ]
        # A side's tuples have one key, whether they are stored or arrive.
        self._keys = [
            self._key_column(model.meetings[side], len(self._times[side])) for side in BOTH
        ]

    def _key_column(self, meeting: Meeting, count: int) -> Ints | None:
        if meeting.values is None:
            return None
        return meeting.drawn_keys(self._random, count, stored=True).astype(np.int64)

    def _arrivals(self, arrivals: Arrivals, rate: float, past: float) -> Ints:
        """Times in microseconds from -past on."""
        random, seconds = self._random, self._seconds + past
        if arrivals.kind == "regular":
            times = (np.arange(int(rate * seconds) + 1) + random.random()) / rate
        else:
            size = arrivals.burst if arrivals.kind == "pareto" else 1.0
            # As many as are expected, at random times: chance in their number is left out.
            times = np.sort(random.uniform(0, seconds, max(1, round(rate * seconds / size))))
            if arrivals.kind == "pareto":
                shape = size / (size - 1)
                draws = random.random((len(times), 2))
                sizes = np.floor((1 - draws[:, 0]) ** (-1 / shape) + draws[:, 1])
                times = np.repeat(times, np.minimum(sizes, MOST_STORED).astype(np.int64))
        ticks = np.rint(1e6 * (times[times < seconds] - past)).astype(np.int64)
        return np.asarray(ticks[ticks < 1e6 * self._seconds])

    def side(self, side: int) -> tuple[Floats, Ints, Ints]:
        """Arrivals of one stream in seconds, and what each examines and matches of the other."""
        ticks, keys = self._times[side], self._keys[side]
        here = ticks >= 0
        ticks, keys = ticks[here], None if keys is None else keys[here]
        count = self._counted if self._drawn else self._guessed
        examined, matches = count(1 - side, ticks, keys)
        return ticks / 1e6, examined, matches

    # --- counted in windows ----------------------------------------------------------------------

    def _counted(self, stored: int, ticks: Ints, keys: Ints | None) -> tuple[Ints, Ints]:
        meeting, there = self._model.meetings[stored], self._times[stored]
        ages = self._ages(stored, ticks)
        present = _between(ages, np.arange(len(there)) if self._rows(stored) else there)
        values = self._keys[stored]
        if keys is None or values is None:
            examined = present
            if meeting.hashed:
                examined = self._random.binomial(present, meeting.examined)
            share = min(1.0, meeting.matched / meeting.examined) if meeting.examined else 0.0
            return examined, self._random.binomial(examined, share)
        equal = self._alike(stored, ages, keys, values)
        equal[keys == 0] = 0
        examined = present
        if meeting.hashed:
            examined = equal
            if meeting.buckets != "per-value":
                buckets = keys % meeting.buckets, values % meeting.buckets
                examined = self._alike(stored, ages, *buckets)
        matches = equal if meeting.rest >= 1 else self._random.binomial(equal, meeting.rest)
        return examined, matches

    def _rows(self, stored: int) -> bool:
        return self._model.ways[stored].counted

    def _ages(self, stored: int, ticks: Ints) -> Ints:
        """By tuple and window the first place on the other stream's line that is inside; then the
        place behind the newest: times, or numbers of rows."""
        lengths = np.array((*reversed(self._windows), 0))
        if self._rows(stored):
            behind = np.searchsorted(self._times[stored], ticks)
            return np.asarray(np.maximum(behind[:, None] - lengths, 0))
        # Inside are ages below the window, whole microseconds.
        return np.asarray(ticks[:, None] - lengths + np.where(lengths > 0, 1, 0))

    def _alike(self, stored: int, ages: Ints, keys: Ints, values: Ints) -> Ints:
        """By tuple and partial window the stored tuples with the same key."""
        there = self._times[stored]
        place = np.arange(len(there)) if self._rows(stored) else there
        # Every key has a stretch of one line for itself.
        low = min(int(ages.min(initial=0)), int(place.min(initial=0)))
        stretch = max(int(ages.max(initial=0)), int(place.max(initial=0))) - low + 1
        line = np.sort(values * stretch + place - low)
        return _between(keys[:, None] * stretch + ages - low, line)

    # --- each count by itself --------------------------------------------------------------------

    def _guessed(self, stored: int, ticks: Ints, keys: Ints | None) -> tuple[Ints, Ints]:
        way, meeting = self._model.ways[stored], self._model.meetings[stored]
        present = way.per_length * partial_lengths(np.array(self._windows) / self._model.ticks)
        if keys is None:
            here, found = (
                np.full(len(ticks), meeting.examined),
                np.full(len(ticks), meeting.matched),
            )
        else:
            here, found = meeting.chances(keys.astype(np.float64))
        matches = self._random.poisson(present * found[:, None])
        if way.counted and not meeting.hashed:
            whole = np.broadcast_to(np.rint(present).astype(np.int64), matches.shape)
            return whole, np.minimum(matches, whole)
        others = self._random.poisson(present * np.maximum(here - found, 0.0)[:, None])
        return matches + others, matches


def _between(edges: Ints, line: Ints) -> Ints:
    """How many of a sorted line lie between neighbouring edges: newest partial windows first."""
    return np.asarray(np.diff(np.searchsorted(line, edges), axis=1)[:, ::-1])
