"""What policies should keep and find: closed forms, and a seeded sample."""
