"""The pages of the explorer: thin scripts over what `parts` holds."""
