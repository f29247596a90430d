"""The compiled loops of aggregations."""
