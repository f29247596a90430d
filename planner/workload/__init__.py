"""A workload: streams, windows, queries and settings that check themselves."""
