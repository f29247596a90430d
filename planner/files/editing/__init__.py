"""A workload that is being edited: its mistakes, and streams that are added to it."""
