"""What a scheduled join carries from batch to batch: stored tuples, waiting outers and servers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runtime.engines.kernels.conditions import ALWAYS
from runtime.engines.kernels.loop_types import Rows
from runtime.engines.shared_schedule.kernel.types import (
    DONE_SIDE,
    FIRST_DROPPED,
    HELD,
    NOW,
    SECOND_DROPPED,
    SERVER_FIELDS,
    Outers,
    Server,
)
from runtime.engines.shared_schedule.schedule_program import SERVERS

_ROWS, _OUTERS = len(Rows._fields), len(Outers._fields)
# So much room is made at a time: what all servers then work through stays in the processor's cache.
CHUNK_OUTERS = 1024
CHUNK_OFFSETS = 128 * 1024
_NARROW = np.iinfo(np.int32).max


class Waiting:
    """Outers that some server has not completed, with room for more, and where servers stand.

    The first `used[0]` outers and `used[1]` offsets are in use; every server has completed the
    first `done`. So many outers came `before` the first. `reached`, `upto`, `ended`: by server.
    """

    def __init__(self, windows: int, classes: int) -> None:
        self.before = 0
        self.done = 0
        self.used = np.zeros(2, np.int64)
        self.outers = _room(0, 0, windows, classes)
        self.rows = np.zeros((SERVERS, SERVER_FIELDS), np.int64)
        self.rows[:, NOW], self.rows[:, DONE_SIDE] = ALWAYS, -1
        self.reached = np.zeros((SERVERS, windows + 1), np.int64)
        self.upto = np.zeros((SERVERS, 0), np.int64)
        self.ended = np.zeros((SERVERS, 0), np.int64)

    def server(self, number: int, points: int) -> Server:
        """Where one server stands, for the kernel to move on."""
        return Server(
            self.rows[number], self.reached[number, :points], self.upto[number], self.ended[number]
        )

    def make_room(self, more_offsets: int = CHUNK_OFFSETS) -> None:
        """Make room for a chunk more: outers that are done are forgotten, the others copied.

        As much room again is made, so that copying stays cheap however many outers wait.
        """
        done, count, offsets = self.done, int(self.used[0]), int(self.used[1])
        capacity, room = len(self.outers.ts), len(self.outers.offsets)
        if count + CHUNK_OUTERS <= capacity and offsets + more_offsets <= room:
            return
        gone = self._offsets_done()
        stays, kept = count - done, offsets - gone
        old = self.outers
        windows, classes = old.spent.shape[1] - 1, old.first.shape[1]
        self.outers = _room(2 * stays + 2 * CHUNK_OUTERS, 2 * kept + more_offsets, windows, classes)
        for ours, theirs in zip(self.outers[:-1], old[:-1], strict=True):
            ours[:stays] = theirs[done:count]
        self.outers.first[:stays] -= gone
        self.outers.offsets[:kept] = old.offsets[gone:offsets]
        self.upto, self.ended = (
            _moved(part, done, count, len(self.outers.ts)) for part in (self.upto, self.ended)
        )
        self.reached -= done
        self.before += done
        self.done = 0
        self.used[:] = stays, kept

    def _offsets_done(self) -> int:
        """How many offsets are of outers that are done."""
        count, offsets = int(self.used[0]), int(self.used[1])
        return int(self.outers.first[self.done, 0]) if self.done < count else offsets

    def followed_by(self, windows: int, classes: int, dropped: np.ndarray) -> Waiting:
        """All outers are completed: what comes next has other windows."""
        assert (self.rows[:, HELD] == 0).all(), "a completed outer holds no result"
        following = Waiting(windows, classes)
        following.before, following.rows = self.before + int(self.used[0]), self.rows
        # Of a policy that was not served so far.
        new = self.rows[:, NOW] == ALWAYS
        following.rows[new, FIRST_DROPPED : SECOND_DROPPED + 1] = dropped
        return following

    def copy_server(self, source: int, target: int) -> None:
        """Where one server stands, another does."""
        for part in (self.rows, self.reached, self.upto, self.ended):
            part[target] = part[source]

    def pack(self) -> list[np.ndarray]:
        """What `unpack` reads, without the outers that are done."""
        done, count, offsets = self.done, int(self.used[0]), int(self.used[1])
        gone = self._offsets_done()
        parts = [part[done:count] for part in self.outers[:-1]]
        parts[Outers._fields.index("first")] = self.outers.first[done:count] - gone
        times = self.outers.offsets[gone:offsets]
        narrow = times.max(initial=0) <= _NARROW
        return [
            np.array([self.before + done], np.int64),
            *parts,
            times.astype(np.int32) if narrow else times,
            self.rows,
            self.reached - done,
            self.upto[:, done:count],
            self.ended[:, done:count],
        ]

    @classmethod
    def unpack(cls, packed: list[np.ndarray], windows: int, classes: int) -> Waiting:
        """What `pack` wrote."""
        waiting = cls(windows, classes)
        waiting.before = int(packed[0][0])
        outers = Outers(*packed[1 : _OUTERS + 1])
        waiting.outers = outers._replace(offsets=outers.offsets.astype(np.int64))
        waiting.used[:] = len(outers.ts), len(outers.offsets)
        waiting.rows, waiting.reached, waiting.upto, waiting.ended = packed[_OUTERS + 1 :]
        return waiting


def _room(outers: int, offsets: int, windows: int, classes: int) -> Outers:
    def empty(*shape: int) -> np.ndarray:
        return np.empty(shape, np.int64)

    return Outers(
        ts=empty(outers),
        side=empty(outers),
        dropped=empty(outers),
        spent=empty(outers, windows + 1),
        found=empty(outers, classes, windows + 1),
        # The kernel does not write that of nothing: a state holds nothing that is left over.
        offsets_sum=np.zeros((outers, classes, windows + 1), np.int64),
        first=empty(outers, classes),
        offsets=empty(offsets),
    )


def _moved(part: np.ndarray, done: int, count: int, capacity: int) -> np.ndarray:
    larger = np.zeros((SERVERS, capacity), np.int64)
    larger[:, : count - done] = part[:, done:count]
    return larger


@dataclass(slots=True)
class ScheduleState:
    """All of it. `clock` has the time of the last batch, the era, whose server stands for the
    plan's own (-1: its own does), and by side how many tuples left the largest window."""

    clock: np.ndarray
    rows: Rows
    free: np.ndarray
    waiting: Waiting

    def pack(self) -> list[np.ndarray]:
        """As arrays."""
        return [self.clock, *self.rows, self.free, *self.waiting.pack()]

    @classmethod
    def unpack(cls, packed: list[np.ndarray], windows: int, classes: int) -> ScheduleState:
        """What `pack` wrote."""
        return cls(
            packed[0],
            Rows(*packed[1 : _ROWS + 1]),
            packed[_ROWS + 1],
            Waiting.unpack(packed[_ROWS + 2 :], windows, classes),
        )
