"""The page is usable by everyone: axe finds nothing serious in any state of it."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import ask, guard, open_page
from .test_chat import finished
from .test_compare import tab

# Gradio's own drop zone carries these; the same files can be pasted or indexed by command.
GRADIO = ["#drop", ".toast-wrap"]


def serious(page) -> list[str]:
    context = {"exclude": [[place] for place in GRADIO]}
    found = Axe().run(page, context=context).response["violations"]
    return [
        f"{violation['id']}: {node['target']} {node['html'][:120]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_is_found_in_the_chat_and_its_source(browser, served, foreign, scheme):
    context = browser.new_context(color_scheme=scheme)
    guard(context, served.url, foreign)
    page = context.new_page()
    open_page(page, served.url)
    ask(page, "What does LoRA propose?")
    finished(page)
    ask(page, "Who won the World Cup?")
    finished(page, 2)
    page.locator(".chip").first.click()
    expect(page.locator("#source #cited")).to_be_visible()
    assert serious(page) == []
    context.close()


@pytest.mark.parametrize("name", ["Compare", "Library", "Map", "Status"])
def test_nothing_serious_is_found_in_the_other_tabs(page, name):
    tab(page, name)
    expect(page.locator(f"#{name.lower()}")).to_be_visible()
    page.wait_for_timeout(1500)
    assert serious(page) == []
