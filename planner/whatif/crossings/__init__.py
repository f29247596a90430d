"""Where the best plan changes along one axis, solved."""
