"""The router: the pages of Sluice, and nothing else."""

from pages.parts import links, messages, routing, warming

page = routing.navigation()
with messages.shown():
    links.restore()
with messages.shown():
    page.run()
links.keep()
warming.begin()
