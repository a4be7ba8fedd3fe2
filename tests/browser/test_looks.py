"""Every state of the page as a picture, none of them wider than its window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import SHOTS, Served, ask, guard, open_page
from .test_chat import finished
from .test_compare import choose, tab

LOOKS = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


@pytest.fixture(params=LOOKS)
def look(request, browser: Browser, served: Served, foreign) -> Iterator[tuple[str, Page]]:
    context = browser.new_context(**LOOKS[request.param])
    guard(context, served.url, foreign)
    page = context.new_page()
    open_page(page, served.url)
    yield request.param, page
    context.close()


def shoot(look, name) -> None:
    kind, page = look
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.wait_for_timeout(400)
    page.screenshot(path=SHOTS / f"{name}-{kind}.png")
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_the_chat_in_all_its_states(look, served):
    page = look[1]
    shoot(look, "welcome")
    ask(page, "Both?")
    finished(page)
    shoot(look, "answer")
    page.locator(".prose .chip").first.click()
    expect(page.locator("#source #cited")).to_be_visible()
    shoot(look, "source")
    if page.locator(".close").is_visible():
        page.locator(".close").click()
    ask(page, "Which papers train something?")
    finished(page, 2)
    shoot(look, "list")
    ask(page, "Who won the World Cup?")
    finished(page, 3)
    shoot(look, "refusal")
    page.locator("#scope summary").click()
    shoot(look, "scope")
    served.chat.pause = 1.5
    ask(page, "Compare LoRA: Low-Rank Adaptation of Large Language Models and BERT.")
    expect(page.locator("#running table")).to_be_visible()
    shoot(look, "running")
    served.chat.pause = 0.01
    finished(page, 4)
    shoot(look, "table")


def test_the_other_tabs(look):
    page = look[1]
    tab(page, "Compare")
    choose(page, "both", "BERT")
    shoot(look, "compare")
    for name in ("Library", "Map", "Status"):
        tab(page, name)
        place = {"Library": "#papers tbody tr", "Map": "#map-canvas", "Status": "#models tbody tr"}
        expect(page.locator(place[name]).first).to_be_visible()
        shoot(look, name.lower())
