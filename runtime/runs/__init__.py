"""Runs on record: requests, records, history, answers."""
