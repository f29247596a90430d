"""What the kernels of all engines share."""
