"""Plans compiled to programs of kernels: one folder per engine, one registry."""
