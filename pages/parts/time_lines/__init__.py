"""A run over time: the statistics of its tuples, its plans and switches, and its work."""
