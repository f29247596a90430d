"""Documents written from the figures: docs/FIGURES.md, docs/EVALUATION.md and README.md."""
