"""The Compare tab in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import ask
from .test_chat import finished


def tab(page, name):
    page.get_by_role("tab", name=name).click()


def choose(page, words, title):
    page.get_by_label("Find a paper").fill(words)
    page.get_by_role("button", name="Find", exact=True).click()
    page.get_by_role("button", name=f"Add {title}").click()
    expect(page.locator(".chosen")).to_contain_text(title)


def test_papers_are_found_compared_read_and_discussed(page, served):
    tab(page, "Compare")
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_disabled()
    choose(page, "low-rank", "LoRA")
    choose(page, "both", "BERT")
    page.get_by_label("Aspect").fill("memory")
    page.get_by_role("button", name="Compare", exact=True).click()
    table = page.locator("#compared table")
    expect(page.get_by_role("button", name="Discuss in chat")).to_be_visible()
    expect(table.locator("tbody tr")).to_have_count(2)
    expect(table.locator("td.none").first).to_have_text("not stated in the abstract")
    assert served.chat.compared[-1] == (("lora", "bert"), "memory")
    table.locator(".chip").nth(1).click()
    expect(page.locator("#source #cited")).to_have_text("BERT reads text in both directions.")
    page.get_by_role("button", name="Discuss in chat").click()
    expect(page.locator("#turns table tbody tr")).to_have_count(2)
    expect(page.locator("#chat")).to_be_visible()
    expect(page.locator("#compare")).to_be_hidden()


def test_a_comparison_is_saved_as_csv(page):
    ask(page, "Compare LoRA: Low-Rank Adaptation of Large Language Models and BERT.")
    finished(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == '"Aspect","LoRA: Low-Rank Adaptation of Large Language Models","BERT"'
    assert lines[1].endswith('"BERT reads text in both directions."')
    assert lines[2] == '"code","not stated in the abstract","not stated in the abstract"'


def test_compare_with_leads_from_a_source_to_the_tab(page):
    ask(page, "What does BERT gain?")
    finished(page)
    page.locator(".prose .chip").click()
    page.get_by_role("button", name="Compare with…").click()
    expect(page.locator(".chosen")).to_contain_text("BERT")
    page.get_by_role("button", name="Take BERT out").click()
    expect(page.locator(".picker")).to_contain_text("Choose 2 to 6 papers.")


def test_a_list_shows_entries_with_their_sentences_and_what_was_scanned(page):
    ask(page, "Which papers train something?")
    finished(page)
    expect(page.locator(".entries li")).to_have_count(2)
    expect(page.locator(".scanned")).to_have_text("Scanned 10 of 10 papers, 10 read closely.")
    page.locator(".entries .paper").nth(1).click()
    expect(page.locator("#source h2")).to_have_text("BERT")


def test_the_tabs_are_moved_through_by_keyboard(page):
    page.get_by_role("tab", name="Chat").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Compare")).to_be_focused()
    expect(page.locator("#picker")).to_be_visible()
