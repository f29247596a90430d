"""Sliced chains: many joins of the same two streams that share one chain of sliced joins."""
