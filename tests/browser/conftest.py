"""Starts the page over scripted answers on a free port, and a browser that sees only it."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    expect,
    sync_playwright,
)

from rag.ui.app import listen
from rag.ui.backend import Backend
from rag.ui.conversations import Conversations
from rag.ui.desk import Desk

from .scripted import ScriptedChat, ScriptedLibrary, ScriptedMachine
from .shelf import PAPERS, SCRIPTS

CHROMIUM = os.environ.get("CITEWELL_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
# Long, since the machines that run tests may be busy with other things.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
SHOTS = Path(os.environ.get("CITEWELL_SHOTS", Path(__file__).parents[2] / "artefacts"))


@dataclass
class Served:
    """A running page: its address, and what answers behind it."""

    url: str
    chat: ScriptedChat
    library: ScriptedLibrary
    folder: Path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        message = "no Chromium: apt-get install chromium, or set CITEWELL_CHROMIUM to its path"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def serve_in_thread(backend: Backend, folder: Path) -> tuple[uvicorn.Server, str]:
    from rag.ui.page import make_app

    listener = listen("127.0.0.1", 0)
    desk = Desk(
        backend, Conversations(folder / "conversations.sqlite3"), lambda: folder / "imports"
    )
    server = uvicorn.Server(
        uvicorn.Config(make_app(desk, ScriptedMachine(backend)), log_level="warning")
    )
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    backend.start()
    while not server.started:
        time.sleep(0.02)
    return server, f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    library, chat = ScriptedLibrary(PAPERS), ScriptedChat(SCRIPTS)
    backend = Backend(lambda: library, lambda _: chat, "scripted")
    folder = tmp_path_factory.mktemp("page")
    server, url = serve_in_thread(backend, folder)
    yield Served(url, chat, library, folder)
    server.should_exit = True


@pytest.fixture(scope="session")
def asked_for() -> list[str]:
    """Every address outside the page's origin that a browser was asked for."""
    return []


@pytest.fixture
def foreign(asked_for: list[str]) -> list[str]:
    """The same, of this test alone."""
    asked_for.clear()
    return asked_for


@pytest.fixture(scope="session")
def warm(browser: Browser, served: Served, asked_for: list[str]) -> Iterator[BrowserContext]:
    """One browser for most tests, so that it need not read the page's scripts each time."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    guard(context, served.url, asked_for)
    yield context
    context.close()


def guard(context: BrowserContext, origin: str, foreign: list[str]) -> None:
    """Note what tries to leave the origin; ARGUMENTS keep it from getting anywhere."""

    def note(request: Request) -> None:
        if not request.url.startswith((origin, "data:", "blob:")):
            foreign.append(request.url)

    context.on("request", note)


@pytest.fixture
def page(warm: BrowserContext, served: Served, foreign: list[str]) -> Iterator[Page]:
    """A page of a browser that was never here before."""
    warm.clear_cookies()
    page = warm.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    open_page(page, served.url)
    yield page
    page.close()
    assert broken == []


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".welcome h1").wait_for(timeout=PATIENCE_MS)


def ask(page: Page, question: str) -> None:
    page.locator("#question textarea").fill(question)
    page.keyboard.press("Enter")
