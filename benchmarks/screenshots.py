"""Takes the README's pictures from the real page: python benchmarks/screenshots.py

It serves the library and the model of the configuration on a free port, asks a few
questions in headless Chromium, and writes docs/images/*.png.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from rag.config import Config
from rag.machine import LocalMachine
from rag.ui.app import backend_of, listen
from rag.ui.conversations import Conversations
from rag.ui.desk import Desk
from rag.ui.page import make_app

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PATIENCE_MS = 300_000
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
QUESTIONS = ["What does TreeGen propose?", "Which papers are about diffusion models?"]


def serve(config: Config, folder: Path) -> tuple[uvicorn.Server, str]:
    backend = backend_of(config)
    machine = LocalMachine(config, backend)
    desk = Desk(backend, Conversations(folder / "conversations.sqlite3"), machine.imports)
    listener = listen("127.0.0.1", 0)
    app = make_app(desk, machine)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    backend.start()
    while not (server.started and backend.ready):
        time.sleep(0.1)
    if backend.problem:
        raise SystemExit(backend.problem)
    return server, f"http://127.0.0.1:{listener.getsockname()[1]}"


def opened(browser: Browser, url: str, **options: object) -> Page:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    page.locator(".example").first.wait_for()
    return page


def ask(page: Page, question: str, number: int) -> None:
    page.locator("#question textarea").fill(question)
    page.keyboard.press("Enter")
    page.locator(f"#turns #turn-{number}").wait_for()


def shoot(page: Page, name: str) -> None:
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"{name}.png")
    print(IMAGES / f"{name}.png")


def chat(page: Page, name: str) -> None:
    ask(page, QUESTIONS[0], 0)
    chip = page.locator("#turn-0 .chip").first
    if chip.count():
        chip.click()
        page.locator("#source #cited").wait_for()
    shoot(page, name)


def tabs(page: Page) -> None:
    ask(page, QUESTIONS[1], 1)
    shoot(page, "list")
    for name in ("Library", "Map", "Status"):
        page.get_by_role("tab", name=name).click()
        page.wait_for_timeout(3000)
        shoot(page, name.lower())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    parser.add_argument("--model", help="another chat model than the default")
    options = parser.parse_args()
    IMAGES.mkdir(parents=True, exist_ok=True)
    config = Config.from_environment(os.environ, model=options.model)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server, url = serve(config, Path(folder))
        browser = playwright.chromium.launch(
            executable_path=options.chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        desktop = opened(browser, url, **DESKTOP)
        shoot(desktop, "welcome")
        chat(desktop, "chat")
        tabs(desktop)
        chat(opened(browser, url, **DESKTOP, color_scheme="dark"), "dark")
        chat(opened(browser, url, **PHONE), "phone")
        browser.close()
        server.should_exit = True


if __name__ == "__main__":
    main()
