"""Shedding: which tuples to keep where memory is too small for the windows of a star join."""

from __future__ import annotations

NAME = "load_shedding"
