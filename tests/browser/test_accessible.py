"""The page is usable by everyone: axe finds nothing serious in any state of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from .conftest import Served, ask, guard, open_page
from .test_chat import finished
from .test_compare import choose, tab

# Gradio's own drop zone carries these; the same files can be pasted or indexed by command.
GRADIO = ["#drop", ".toast-wrap"]
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
LOOKS = {
    f"{scheme} {name}": {**size, "color_scheme": scheme}
    for scheme in ("light", "dark")
    for name, size in (("desktop", DESKTOP), ("phone", PHONE))
}
PLACES = {
    "Library": "#papers tbody tr",
    "Map": "#map-canvas",
    "Status": "#models tbody tr",
}


@pytest.fixture(params=LOOKS)
def page_of_look(request, browser: Browser, served: Served, foreign) -> Iterator[Page]:
    context = browser.new_context(**LOOKS[request.param])
    guard(context, served.url, foreign)
    page = context.new_page()
    open_page(page, served.url)
    yield page
    context.close()


def serious(page: Page) -> list[str]:
    context = {"exclude": [[place] for place in GRADIO]}
    found = Axe().run(page, context=context).response["violations"]
    return [
        f"{violation['id']}: {node['target']} {node['html'][:120]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def test_nothing_serious_is_found_in_the_chat_and_its_source(page_of_look):
    page = page_of_look
    assert serious(page) == []
    questions = (
        "What does LoRA propose?",
        "Who won the World Cup?",
        "Which papers train something?",
        "Compare LoRA: Low-Rank Adaptation of Large Language Models and BERT.",
    )
    for count, question in enumerate(questions, 1):
        ask(page, question)
        finished(page, count)
    page.locator("#scope summary").click()
    assert serious(page) == []
    page.locator(".chip").first.click()
    expect(page.locator("#source #cited")).to_be_visible()
    assert serious(page) == []


def test_nothing_serious_is_found_in_the_other_tabs(page_of_look):
    page = page_of_look
    tab(page, "Compare")
    choose(page, "both", "BERT")
    assert serious(page) == []
    for name, place in PLACES.items():
        tab(page, name)
        expect(page.locator(place).first).to_be_visible()
        assert serious(page) == []
