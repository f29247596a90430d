"""What the kernels of all engines share."""

from runtime.engines.kernels.compiled_cache import use_sealed_cache

# Before the first kernel is declared: that is when Numba decides how it is kept.
use_sealed_cache()
