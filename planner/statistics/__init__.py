"""Statistics of streams: declared, or inferred from data."""
