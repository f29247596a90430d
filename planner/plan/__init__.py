"""Plans, their costs, and plans as text and pictures."""
