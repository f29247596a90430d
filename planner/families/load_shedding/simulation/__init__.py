"""A run of a star join in plain Python: what every policy keeps, sheds and finds."""
