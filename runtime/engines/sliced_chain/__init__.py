"""The engine of many joins that share their work: chains of slices."""
