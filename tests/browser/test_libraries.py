"""Several libraries, made and opened in the Library tab, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import ask
from .test_chat import finished
from .test_compare import tab


@pytest.fixture
def shelf(page):
    tab(page, "Library")
    expect(page.locator(".papers tbody tr")).to_have_count(3)
    yield page.locator("#shelf")
    tab(page, "Library")
    open_library(page, "Main library")


def make(page, name):
    page.get_by_text("Make a new library").click()
    page.get_by_label("Name of the new library").fill(name)
    page.get_by_role("button", name="Make and open it").click()


def open_library(page, name):
    page.locator("#shelf select").select_option(name)
    page.locator("#shelf").get_by_role("button", name="Open", exact=True).click()
    expect(page.locator("#shelf")).to_contain_text(f"“{name}” is open.")


def test_a_new_library_is_empty_and_an_old_talk_still_opens_its_sources(page, shelf):
    tab(page, "Chat")
    ask(page, "What does LoRA propose?")
    finished(page)
    tab(page, "Library")
    make(page, "Thesis")
    expect(shelf).to_contain_text("“Thesis” is open.")
    expect(page.locator("#papers")).to_contain_text("No paper fits.")
    expect(page.locator("#facts")).to_contain_text("Thesis: 0 papers")
    tab(page, "Chat")
    page.locator(".prose .chip").first.click()
    expect(page.locator("#source #cited")).to_have_text("We propose LoRA, which")
    page.locator("#new").click()
    expect(page.locator(".welcome h1")).to_have_text("The library is empty.")
    tab(page, "Library")
    open_library(page, "Main library")
    expect(page.locator(".papers tbody tr")).to_have_count(3)
    expect(page.locator("#facts")).not_to_contain_text("Thesis")


def test_a_name_that_will_not_do_is_refused_and_all_stays(page, shelf):
    make(page, "../escape")
    expect(shelf).to_contain_text("Begin the name with a letter.")
    expect(page.locator(".papers tbody tr")).to_have_count(3)


def test_no_other_library_is_opened_while_a_question_is_answered(page, shelf):
    tab(page, "Chat")
    ask(page, "Read for long")
    expect(page.locator("#running .stage")).to_be_visible()
    tab(page, "Library")
    make(page, "Later")
    expect(shelf).to_contain_text("A question is being answered.")
    expect(page.locator(".papers tbody tr")).to_have_count(3)
    tab(page, "Chat")
    page.locator("#stop").click()
    finished(page)
