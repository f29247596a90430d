"""The router: the pages of Sluice, and nothing else."""

from contextlib import suppress

from pages.parts.shared import backend, charts, controls, heading, links, routing, stopping

page = routing.navigation()
with stopping.with_session():
    with controls.shown():
        links.restore()
    with suppress(heading.UnfinishedError), controls.shown():
        page.run()
heading.show_share()
charts.offer_files()
routing.watch()
links.keep()
backend.begin_warming()
routing.settle(page.url_path)
