"""Serves the browser chat: opens the library and the models, and listens."""

from __future__ import annotations

import errno
import ipaddress
import socket
import webbrowser
from importlib.util import find_spec
from threading import Timer
from typing import TYPE_CHECKING

import click

from rag.config import Config
from rag.errors import PortInUse, UsageError
from rag.llm.address import sent_to
from rag.ui.backend import Backend

if TYPE_CHECKING:
    from rag.ahead import ReadAhead
    from rag.answer.chat import Chat
    from rag.library import Library

EXPOSED = (
    "Everyone who has the name and the password can read the whole library, ask questions, and "
    "add and remove papers. They travel unencrypted: in a network that you do not trust, put a "
    "proxy with HTTPS before this address."
)


def serve(
    config: Config,
    *,
    host: str = "127.0.0.1",
    port: int = 7860,
    auth: str | None = None,
    open_browser: bool = False,
    mcp: bool = False,
) -> None:
    """Serve the chat until interrupted; the library and the models load behind the page.

    `auth` is `name:password`; `mcp` also serves the tools of `rag.api_http` to language
    models. Raises PortInUse, and UsageError where a host that others can reach is to be
    served without a login, or MCP with one.
    """
    login = login_for(host, auth)
    if mcp:
        check_mcp(login)
    listener = listen(host, port)
    import uvicorn

    from rag.api_http import Endpoints
    from rag.machine import LocalMachine
    from rag.ui.conversations import Conversations
    from rag.ui.desk import Desk
    from rag.ui.page import make_app

    backend = backend_of(config)
    kept = Conversations(config.data_dir / "conversations.sqlite3")
    machine = LocalMachine(config, backend)
    desk = Desk(backend, kept, machine.imports)
    endpoints = Endpoints(backend).all()
    app = make_app(desk, machine, login, endpoints=endpoints, mcp=mcp)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    backend.start()
    address = f"http://{host}:{listener.getsockname()[1]}"
    click.echo(f"Citewell is at {address} (Ctrl+C ends it)", err=True)
    if not _is_loopback(host):
        click.echo(EXPOSED, err=True)
    if open_browser:
        Timer(1.0, webbrowser.open, [address]).start()
    try:
        server.run(sockets=[listener])
    finally:
        backend.close()


def login_for(host: str, auth: str | None) -> tuple[str, str] | None:
    """The name and password to ask for; UsageError if others could come in without one."""
    if auth is None:
        if not _is_loopback(host):
            raise UsageError(
                f"{host} can be reached by others, who could read the whole library and ask "
                "questions. Add --auth NAME:PASSWORD, or serve on 127.0.0.1."
            )
        return None
    name, colon, password = auth.partition(":")
    if not (name and colon and password):
        raise UsageError("Give --auth as NAME:PASSWORD.")
    return name, password


def check_mcp(login: tuple[str, str] | None) -> None:
    """Raise UsageError where MCP cannot be served."""
    if login is not None:
        raise UsageError(
            "MCP has no login of its own, so everyone could use it. Serve it on 127.0.0.1, "
            "without --auth."
        )
    if find_spec("mcp") is None:
        raise UsageError("MCP needs a package that is not here: pip install 'citewell[mcp]'")


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address; raises PortInUse. Port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as cause:
        listener.close()
        if cause.errno == errno.EADDRINUSE:
            raise PortInUse(
                f"Port {port} is taken by another program, perhaps another Citewell. "
                f"Close it, or choose another port: --port {port + 1}."
            ) from cause
        raise UsageError(f"Cannot listen on {host}:{port}: {cause.strerror}.") from cause
    return listener


def backend_of(config: Config) -> Backend:
    """The library and the chat of a configuration, not yet opened."""

    def open_library() -> Library:
        from rag.library import Library

        return Library.open(config)

    def open_chat(library: Library) -> Chat:
        return open_chat_of(config, library)

    return Backend(open_library, open_chat, config.model, sent_to(config.model), read_ahead_of)


def read_ahead_of(library: Library, chat: Chat) -> ReadAhead | None:
    """What reads the papers of a library ahead for a chat; none for a model elsewhere."""
    from rag.ahead import ReadAhead
    from rag.llm.gguf import GgufModel

    if not isinstance(chat.model, GgufModel):
        return None
    return ReadAhead(library, chat.model, chat.prompts, chat.busy)


def open_chat_of(config: Config, library: Library) -> Chat:
    """A chat over a library with the model of a configuration. Raises MissingError."""
    from rag.answer.chat import Chat
    from rag.answer.prompt import Prompts
    from rag.llm.choose import open_model
    from rag.resources import prompts_dir

    return Chat(library, open_model(config), Prompts(prompts_dir()))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
