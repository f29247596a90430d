"""The router: the pages of Sluice, and nothing else."""

from pages.parts.shared import backend, charts, heading, links, messages, routing

page = routing.navigation()
with messages.shown():
    links.restore()
with messages.shown():
    page.run()
heading.show_share()
charts.offer_files()
routing.watch()
links.keep()
backend.begin_warming()
