"""Keeps the page to its own origin, and gives each browser a secret of its own."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import SimpleCookie
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

# Gradio's page has inline scripts and compiles its templates, so script-src cannot be strict;
# script-src-attr forbids the inline handlers through which markup in text would run.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "script-src-attr 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


COOKIE = "citewell"
_YEAR_S = 365 * 24 * 3600


class Guard:
    """ASGI middleware; every answer carries the headers, and a new browser gets its secret."""

    def __init__(self, app: Asgi) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the headers back."""
        headers = list(_HEADERS)
        if scope["type"] == "http" and scope["path"] == "/" and not _has_secret(scope):
            headers.append((b"set-cookie", _new_secret().encode()))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _has_secret(scope: Scope) -> bool:
    sent = dict(scope["headers"]).get(b"cookie", b"").decode("latin-1")
    return COOKIE in SimpleCookie(sent)


def _new_secret() -> str:
    secret = secrets.token_urlsafe(24)
    return f"{COOKIE}={secret}; Path=/; Max-Age={_YEAR_S}; HttpOnly; SameSite=Strict"
