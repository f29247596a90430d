"""Random choices that are the same in every process: worked out from a seed and a number."""

from __future__ import annotations

_ALL = (1 << 64) - 1


def mixed(number: int) -> int:
    """The next state of splitmix64 after a number, mixed: 64 bits.

    >>> hex(mixed(0))
    '0xe220a8397b1dcdaf'
    """
    state = (number + 0x9E3779B97F4A7C15) & _ALL
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _ALL
    return state ^ (state >> 31)


def choice(seed: int, place: int, number: int, among: int) -> int:
    """One of so many, for the victim with this number of the arm with this place in FROM."""
    return mixed(mixed(mixed(seed) ^ place) ^ number) % among
