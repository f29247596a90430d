"""Early aggregation: its speed, and predicted work beside counted work."""
