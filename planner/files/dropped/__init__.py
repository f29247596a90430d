"""Files that a user drops: read whatever their format, and made into streams with a first query."""
