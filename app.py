"""The router: the pages of Sluice, and nothing else."""

from pages.parts import charts, links, messages, routing, warming

page = routing.navigation()
with messages.shown():
    links.restore()
with messages.shown():
    page.run()
charts.offer_files()
links.keep()
warming.begin()
