"""The plan canvas: a plan drawn with what it costs, to be clicked."""
