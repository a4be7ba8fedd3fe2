"""Conversations, scope and sources in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import ask, guard, open_page
from .scripted import ScriptedLibrary
from .shelf import PAPERS
from .test_chat import finished


@pytest.fixture
def kept(page):
    """A page in which one conversation was had."""
    ask(page, "What does LoRA propose?")
    finished(page)
    return page


def test_a_conversation_is_there_at_the_next_visit_and_opens_its_sources(kept, served):
    open_page(kept, served.url)
    kept.get_by_role("button", name="What does LoRA propose?", exact=True).click()
    finished(kept)
    kept.locator(".prose .chip").first.click()
    expect(kept.locator("#source #cited")).to_have_text("We propose LoRA, which")


def test_an_old_answer_opens_its_source_after_the_paper_was_removed(kept, served):
    served.library.remove(["lora"])
    try:
        open_page(kept, served.url)
        kept.get_by_role("button", name="What does LoRA propose?", exact=True).click()
        kept.locator(".prose .chip").first.click()
        expect(kept.locator("#source .abstract")).to_contain_text("freezes the weights")
    finally:
        served.library.__dict__.update(ScriptedLibrary(PAPERS).__dict__)


def test_another_browser_sees_none_of_them(kept, browser, served, foreign):
    context = browser.new_context()
    guard(context, served.url, foreign)
    other = context.new_page()
    open_page(other, served.url)
    expect(other.locator("#conversations")).to_contain_text("Your conversations will stand here.")
    context.close()


def test_a_conversation_is_renamed_searched_and_deleted(kept):
    kept.locator(".more summary").click()
    kept.locator(".more input").fill("About <LoRA>")
    kept.locator(".more input").press("Enter")
    expect(kept.locator(".conversation")).to_have_text("About <LoRA>")
    kept.get_by_label("Search conversations").fill("zebra")
    kept.get_by_label("Search conversations").press("Enter")
    expect(kept.locator(".conversation")).to_have_count(0)
    kept.get_by_label("Search conversations").fill("lora")
    kept.get_by_label("Search conversations").press("Enter")
    expect(kept.locator(".conversation")).to_have_count(1)
    kept.locator(".more summary").click()
    kept.get_by_role("button", name="Delete").click()
    expect(kept.locator(".conversation")).to_have_count(0)
    expect(kept.locator(".welcome h1")).to_be_visible()


def test_a_talk_is_saved_as_markdown_and_bibtex(kept):
    with kept.expect_download() as download:
        kept.get_by_role("button", name="Markdown").click()
    text = download.value.path().read_text()
    assert text.startswith("## What does LoRA propose?")
    assert "[1] LoRA: Low-Rank Adaptation" in text
    with kept.expect_download() as download:
        kept.locator("#conversations").get_by_role("button", name="BibTeX").click()
    assert download.value.suggested_filename == "citewell.bib"
    assert "title = {{LoRA: Low-Rank" in download.value.path().read_text()


def test_an_edited_question_replaces_the_old_one_and_what_follows(kept, served):
    ask(kept, "How much memory does it save?")
    finished(kept, 2)
    kept.locator("#turn-0").get_by_role("button", name="Edit the question").click()
    expect(kept.locator("#question textarea")).to_have_value("What does LoRA propose?")
    ask(kept, "What does BERT gain?")
    finished(kept, 1)
    assert served.chat.asked[-1] == ("What does BERT gain?", [])


def test_a_question_can_be_narrowed_to_a_paper_and_widened_again(kept, served):
    kept.locator(".prose .chip").first.click()
    kept.get_by_role("button", name="Ask about this paper").click()
    expect(kept.locator("#scope")).to_contain_text("Asking only LoRA: Low-Rank Adaptation")
    ask(kept, "How much memory does it save?")
    finished(kept, 2)
    assert served.chat.scopes[-1].paper_ids == frozenset(["lora"])
    kept.get_by_role("button", name="Ask the whole library").click()
    expect(kept.locator("#scope")).to_contain_text("Asking the whole library")


def test_a_question_can_be_narrowed_by_year_and_list(kept, served):
    kept.locator("#scope summary").click()
    kept.get_by_label("Years").fill("2024..2025")
    kept.get_by_label("List").select_option("list.txt")
    kept.get_by_role("button", name="Ask only these").click()
    expect(kept.locator("#scope")).to_contain_text("papers of 2024–2025, papers from list.txt")


def test_the_source_links_to_where_the_paper_stands_and_to_nothing_that_would_run(kept):
    kept.locator(".prose .chip").first.click()
    link = kept.locator("#source .links a")
    expect(link).to_have_text("arXiv")
    expect(link).to_have_attribute("href", "https://arxiv.org/abs/2106.09685")
    ask(kept, "What does BERT gain?")
    finished(kept, 2)
    kept.locator("#turn-1 .prose .chip").click()
    expect(kept.locator("#source h2")).to_have_text("BERT")
    expect(link).to_have_count(0)


def test_the_source_leads_on_to_a_summary_and_similar_papers(kept, served):
    kept.locator(".prose .chip").first.click()
    kept.get_by_role("button", name="Find similar").click()
    kept.locator("#source").get_by_role("button", name="BERT", exact=True).click()
    expect(kept.locator("#source h2")).to_have_text("BERT")
    kept.get_by_role("button", name="Summarise").click()
    finished(kept, 2)
    assert served.chat.asked[-1][0] == "Summarise BERT."


def test_a_damaged_file_of_conversations_is_told_and_the_talk_is_kept_anew(kept, served):
    file = served.folder / "conversations.sqlite3"
    file.write_bytes(b"damaged" * 1000)
    ask(kept, "How much memory does it save?")
    finished(kept, 2)
    expect(kept.locator("#conversations .error")).to_contain_text("conversations-damaged-1.sqlite3")
    expect(kept.locator(".conversation")).to_have_text("What does LoRA propose?")
    kept.locator("#new").click()
    expect(kept.locator("#conversations .error")).to_have_count(0)
    expect(kept.locator(".conversation")).to_have_count(1)
