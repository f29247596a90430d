"""Index advice: which windows to hash within a budget of buckets."""
