"""What-if: sliders beside the plan, curves along one axis, diagrams of two."""
