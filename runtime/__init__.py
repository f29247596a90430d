"""Runs plans on Spark and counts what they do. Never imports the pages."""

from runtime.data.folders import prepare_kernel_cache

# Numba reads where it keeps compiled kernels when it is first imported.
prepare_kernel_cache()
