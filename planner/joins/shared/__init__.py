"""Joins that many queries share: groups of queries, shares of tuples, halves, slices."""
