"""The router: the pages of Sluice, and nothing else."""

from pages.parts.shared import backend, charts, controls, heading, links, routing

page = routing.navigation()
with controls.shown():
    links.restore()
with controls.shown():
    page.run()
heading.show_share()
charts.offer_files()
routing.watch()
links.keep()
backend.begin_warming()
