"""Headers of every answer: no other site may show Sluice in a frame, or have its type guessed."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SENT = {
    # In a frame of another site, a click there could be one here.
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Security-Policy": "frame-ancestors 'self'; object-src 'none'; base-uri 'self'",
    "X-Content-Type-Options": "nosniff",
    # Addresses hold workloads: other sites do not get them.
    "Referrer-Policy": "same-origin",
}


class Headers:
    """Puts the headers into every answer to a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SENT)
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)


HEADERS = [Middleware(Headers)]
