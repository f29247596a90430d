"""Plans on Spark's own operators, carried out as they were described."""
