"""The router: the pages of Sluice, and nothing else."""

from pages.parts import charts, links, messages, redrawing, routing, sharing
from pages.parts.running import warming

page = routing.navigation()
with messages.shown():
    links.restore()
with messages.shown():
    page.run()
sharing.show()
charts.offer_files()
redrawing.watch()
links.keep()
warming.begin()
