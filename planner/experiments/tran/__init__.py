"""Tran & Lee 2007: early aggregation."""
