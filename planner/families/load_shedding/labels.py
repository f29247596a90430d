"""The names of what decides who is kept, and how they choose."""

from __future__ import annotations

EXACT = "EXACT"
# With all tuples known beforehand: the most importance, and the most results.
OPTIMUM = "OSSJ"
MOST_RESULTS = "SJA-S"
RANDOM = "RAND-S"
IMPORTANCE = "SIMP-S"
IMPORTANCE_AND_MATCHES = "SIMPPROB-S"
MATCHES_OF_NOW = "DIMPPROB-S"
GAIN_AND_LOSS = "DGL-S"
# Ours: the expected importance per second.
EXPECTED_GAIN = "GAIN-S"

OFFLINE = (OPTIMUM, MOST_RESULTS)
ONLINE = (
    RANDOM,
    IMPORTANCE,
    IMPORTANCE_AND_MATCHES,
    MATCHES_OF_NOW,
    GAIN_AND_LOSS,
    EXPECTED_GAIN,
)
LABELS = (EXACT, *OFFLINE, *ONLINE)
