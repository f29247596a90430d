"""Runs plans on Spark and counts what they do. Never imports the pages."""
