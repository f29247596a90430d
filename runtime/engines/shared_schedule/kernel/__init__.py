"""The compiled loops of scheduled joins: scans are counted once, then served by every policy."""
