"""Joins of windows: what every family that joins needs to read, size, keep and tell them."""
