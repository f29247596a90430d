"""The compiled loops of multi-way joins."""
