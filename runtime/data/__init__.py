"""Tuples: generated or read, merged in arrival order, cut into micro-batches."""
