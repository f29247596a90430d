"""What is predicted of a policy: its answer, and what happens to the tuples of each arm."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ArmFlow:
    """What happens to the tuples given to an arm: the shares that are admitted and that expire, how
    many stored tuples are looked at per tuple to choose who goes, and how many are held.

    Of its arrivals that have a row: how many tuples of other arms each of them examines, and the
    share of the exact results they complete that is found.
    """

    admitted: float
    looked_at: float
    expired: float
    held: float
    examined: float
    found: float


@dataclass(frozen=True, slots=True)
class SheddingPrediction:
    """The answer of a policy over a whole run, and its work.

    `model` says where results and importance come from, `work_model` where the flows do.
    """

    model: str
    work_model: str
    results: float
    importance: float
    recall: float
    arms: tuple[ArmFlow, ...]
