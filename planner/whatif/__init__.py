"""What-if: sweeps over parameters, and re-planning as rates change."""
