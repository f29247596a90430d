"""The engine of multi-way joins."""
