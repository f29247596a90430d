"""Everything that is read from files or written to them."""
