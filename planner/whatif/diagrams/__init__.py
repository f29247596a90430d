"""Which plan is best in every cell of two axes, and what it costs to stay with few."""
