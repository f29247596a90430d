"""How join orders are shown."""
