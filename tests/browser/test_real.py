"""The page over the real library of the sample lists and a real, very small model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from rag.library import make_sample
from rag.resources import seeds_dir
from rag.ui.app import backend_of

from .conftest import ask, guard, open_page, serve_in_thread

READY_S = 300


@pytest.fixture(scope="module")
def real(installed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    config = replace(installed, library=folder / "library")
    make_sample(config, seeds_dir())
    backend = backend_of(config)
    server, url = serve_in_thread(backend, folder)
    yield url
    server.should_exit = True
    backend.close()


def test_a_real_question_finds_a_cited_answer_with_its_sentence_marked(browser, real, foreign):
    context = browser.new_context()
    guard(context, real, foreign)
    page = context.new_page()
    open_page(page, real)
    expect(page.locator("#facts")).to_contain_text("31 papers", timeout=READY_S * 1000)
    expect(page.locator("#facts")).to_contain_text("offline", timeout=READY_S * 1000)
    ask(page, "What does TreeGen propose?")
    expect(page.locator("#turns .turn")).to_have_count(1, timeout=READY_S * 1000)
    expect(page.locator("#turns .error")).to_have_count(0)
    page.locator("#turns .evidence .quote").first.click()
    cited = page.locator("#source #cited")
    expect(cited).to_be_in_viewport()
    assert cited.inner_text() in page.locator("#source .abstract").inner_text()
    assert foreign == []
    context.close()
