"""Joins over arrays, compiled: no Spark, no pandas; every comparison is counted where it is made."""
