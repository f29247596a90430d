"""Sluice as it is served: the pages of app.py, which no other site may show inside its own."""

from streamlit.starlette import App

from pages.parts.shared.headers import HEADERS

app = App("app.py", middleware=HEADERS)
