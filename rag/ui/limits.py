"""Keeps one visitor from taking all of the server: how often, and how much at once."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from rag.ui.guard import Asgi, Receive, Scope, Send, refuse

BURST = 120
PER_SECOND = 2.0
"""A page sends a request for each click, and one a second while the model loads."""

MOST_BYTES = 256 * 2**20
_UPLOAD = "/gradio_api/upload"
_MOST_VISITORS = 10_000


class Limits:
    """ASGI middleware. A visitor is an address; `often` tells whether requests are counted."""

    def __init__(
        self, app: Asgi, *, often: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._often = often
        self._clock = clock
        self._visitors: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or say why not."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
        elif (size := _size(scope)) is None and scope["path"].rstrip("/") == _UPLOAD:
            await refuse(send, 411, "Say how large the upload is.")
        elif (size or 0) > MOST_BYTES:
            await refuse(send, 413, f"At most {MOST_BYTES >> 20} MB at once. Send fewer files.")
        elif self._often and not self._allowed(scope):
            await refuse(send, 429, "Too many requests. Wait a minute, then go on.")
        else:
            await self._app(scope, receive, send)

    def _allowed(self, scope: Scope) -> bool:
        """Take one of the visitor's tokens; they come back with time (a token bucket)."""
        visitor, now = (scope.get("client") or ("",))[0], self._clock()
        tokens, seen = self._visitors.pop(visitor, (float(BURST), now))
        tokens = min(float(BURST), tokens + (now - seen) * PER_SECOND)
        allowed = tokens >= 1.0
        self._visitors[visitor] = (tokens - 1.0 if allowed else tokens, now)
        if len(self._visitors) > _MOST_VISITORS:
            self._visitors.popitem(last=False)
        return allowed


def _size(scope: Scope) -> int | None:
    sent = dict(scope["headers"]).get(b"content-length", b"")
    return int(sent) if sent.isdigit() else None
