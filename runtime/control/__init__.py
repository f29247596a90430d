"""Runs from request to record: executed, watched, cancelled, resumed, changed."""
