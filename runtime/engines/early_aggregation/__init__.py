"""The engine of late and early aggregation."""
