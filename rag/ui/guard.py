"""Keeps the page to its own origin, and gives each browser a secret of its own.

Without a login the page answers only to the names of this machine, so that a foreign web
page cannot reach it under a name that it has made to point here (DNS rebinding).
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

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


_HERE = frozenset({"127.0.0.1", "localhost", "::1"})
_HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
COOKIE = "citewell"
_YEAR_S = 365 * 24 * 3600


class Guard:
    """ASGI middleware; every answer carries the headers, and a new browser gets its secret.

    `open_to_all` is for a server with a login, which may have any name.
    """

    def __init__(self, app: Asgi, *, open_to_all: bool = False) -> None:
        self.app = app
        self._open_to_all = open_to_all

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the headers back."""
        headers = list(_HEADERS)
        if scope["type"] == "http" and scope["path"] == "/" and not _has_secret(scope):
            headers.append((b"set-cookie", _new_secret().encode()))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        if scope["type"] == "http" and (problem := self._problem(scope)):
            await refuse(send_with_headers, 403, problem)
        else:
            await self.app(scope, receive, send_with_headers)

    def _problem(self, scope: Scope) -> str:
        sent = dict(scope["headers"])
        host = sent.get(b"host", b"").decode("latin-1")
        origin = sent.get(b"origin", b"").decode("latin-1")
        if not self._open_to_all and _host_name(host) not in _HERE:
            return "Open the page as 127.0.0.1 or localhost, or serve it with --auth."
        if origin and scope["method"] not in _HARMLESS and origin.partition("://")[2] != host:
            return "Another web page may not use this one."
        return ""


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def refuse(send: Send, status: int, text: str) -> None:
    """Answer with a status and a plain text."""
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


def _has_secret(scope: Scope) -> bool:
    sent = dict(scope["headers"]).get(b"cookie", b"").decode("latin-1")
    return COOKIE in SimpleCookie(sent)


def _new_secret() -> str:
    secret = secrets.token_urlsafe(24)
    return f"{COOKIE}={secret}; Path=/; Max-Age={_YEAR_S}; HttpOnly; SameSite=Strict"
