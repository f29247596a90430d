"""Joins over arrays, compiled: no Spark, no pandas; comparisons are counted where they are made."""
