"""Plans stepped one tuple at a time, without Spark: what the Teach page shows."""
