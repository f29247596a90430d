"""The compiled loops of sliced joins."""
