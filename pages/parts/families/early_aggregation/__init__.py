"""How plans of early aggregation are shown."""
