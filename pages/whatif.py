"""What-if: how the best plan follows the numbers of the workload."""

from pages.parts.shared import heading, planning
from pages.parts.whatif import kind_switch, one_axis, scenarios, sliders, two_axes, uncertain

heading.show("What-if")
family, workload = planning.subject()
parts = {
    "Sliders": sliders.show,
    "One number": one_axis.show,
    "Two numbers": two_axes.show,
    "Ranges": uncertain.show,
}
chosen = scenarios.remembered("View", parts, "whatif-view", hidden_label=True)
parts[chosen](kind_switch.chosen(family), workload)
