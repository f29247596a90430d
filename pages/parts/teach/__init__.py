"""Teach: a plan at work, one tuple at a time, and lessons."""
