"""Sliced chains: predicted work beside counted work, their search, and what a slice costs."""
