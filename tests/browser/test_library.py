"""The Library tab in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .scripted import ScriptedLibrary
from .shelf import PAPERS
from .test_compare import tab


@pytest.fixture
def library_tab(page, served):
    tab(page, "Library")
    expect(page.locator(".papers tbody tr")).to_have_count(3)
    yield page
    served.library.__dict__.update(ScriptedLibrary(PAPERS).__dict__)


def row(page, title):
    return page.get_by_role("row").filter(has_text=title)


def test_papers_are_shown_as_text_and_open_in_the_source_panel(library_tab):
    hostile = row(library_tab, "Predicting")
    expect(hostile).to_contain_text("<img src=x onerror=window.broken=1>")
    expect(hostile).to_contain_text("../../<i>x</i>.txt")
    hostile.locator(".paper").click()
    expect(library_tab.locator("#source h2")).to_contain_text("Predicting <mask> tokens")
    assert library_tab.evaluate("window.broken") is None


def test_papers_are_filtered_by_words_author_and_year(library_tab):
    library_tab.get_by_label("Words").fill("low-rank adaptation")
    library_tab.get_by_role("button", name="Show").click()
    expect(library_tab.locator(".papers tbody tr")).to_have_count(1)
    library_tab.get_by_label("Words").fill("")
    library_tab.locator("#library").get_by_label("Author").fill("devlin")
    library_tab.get_by_role("button", name="Show").click()
    expect(library_tab.locator(".papers tbody .paper")).to_have_text(["BERT"])


def test_chosen_papers_are_exported(library_tab):
    row(library_tab, "BERT").get_by_role("checkbox").check()
    with library_tab.expect_download() as download:
        library_tab.locator("#papers").get_by_role("button", name="BibTeX").click()
    text = download.value.path().read_text()
    assert text.count("@misc") == 1
    assert "{{BERT}}" in text


def test_chosen_papers_are_removed_and_the_count_follows(library_tab):
    asked = []
    library_tab.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    row(library_tab, "BERT").get_by_role("checkbox").check()
    library_tab.get_by_role("button", name="Remove").click()
    expect(library_tab.locator("#account")).to_contain_text("1 paper removed.")
    expect(library_tab.locator(".papers tbody tr")).to_have_count(2)
    expect(library_tab.locator("#facts")).to_contain_text("2 papers")
    assert asked == ["Remove 1 paper from the library?"]


def test_no_paper_is_removed_by_a_click_that_was_not_meant(library_tab):
    library_tab.on("dialog", lambda dialog: dialog.dismiss())
    row(library_tab, "BERT").get_by_role("checkbox").check()
    library_tab.get_by_role("button", name="Remove").click()
    library_tab.get_by_role("button", name="Show").click()
    row(library_tab, "BERT").get_by_role("checkbox").check()
    expect(library_tab.locator(".papers tbody tr")).to_have_count(3)
    expect(library_tab.locator("#account")).not_to_contain_text("removed")


def test_nothing_is_removed_when_nothing_is_chosen(library_tab):
    library_tab.get_by_role("button", name="Remove").click()
    expect(library_tab.locator("#account")).to_contain_text("Choose the papers to remove.")
    expect(library_tab.locator(".papers tbody tr")).to_have_count(3)


def test_pasted_text_is_indexed_and_accounted_for(library_tab):
    library_tab.get_by_text("Paste abstracts or references").click()
    library_tab.get_by_label("Text to add").fill("One new paper\nabout <b>things</b>.\n\nTwo")
    library_tab.get_by_role("button", name="Add this text").click()
    account = library_tab.locator("#account")
    expect(account).to_contain_text("3 records read from pasted")
    expect(account).to_contain_text("2 added, 1 skipped.")
    expect(library_tab.locator(".papers tbody tr")).to_have_count(5)
    account.get_by_text("What was skipped, and why").click()
    expect(account).to_contain_text("line <9>: no <text>")


def drop(page, name):
    """Drop a file of one abstract on the place for files, as a mouse would."""
    data = page.evaluate_handle(
        "(name) => { const data = new DataTransfer();"
        "data.items.add(new File(['A dropped paper'], name)); return data; }",
        name,
    )
    page.locator("#drop button").first.dispatch_event("drop", {"dataTransfer": data})


def test_a_file_is_dropped_in_and_read(library_tab):
    drop(library_tab, "new list.txt")
    expect(library_tab.locator("#account")).to_contain_text("read from new list.txt")
    expect(library_tab.locator(".papers tbody tr")).to_have_count(4)


def test_a_file_of_no_kind_that_can_be_read_is_refused_and_all_stays(library_tab):
    drop(library_tab, "program.exe")
    expect(library_tab.get_by_text("Invalid file type").first).to_be_visible()
    expect(library_tab.locator(".papers tbody tr")).to_have_count(3)


def test_an_import_says_how_far_it_has_come(library_tab, served):
    served.library.pause = 1.0
    library_tab.get_by_text("Paste abstracts or references").click()
    library_tab.get_by_label("Text to add").fill("One\n\nTwo\n\nThree")
    library_tab.get_by_role("button", name="Add this text").click()
    account = library_tab.locator("#account")
    expect(account).to_contain_text("Indexed 2 of 3 papers")
    assert account.locator("progress").get_attribute("value") == "2"
    expect(account).to_contain_text("3 added")


def test_chosen_papers_are_asked_and_compared(library_tab, served):
    for title in ("BERT", "LoRA"):
        row(library_tab, title).get_by_role("checkbox").check()
    library_tab.locator("#papers").get_by_role("button", name="Compare").click()
    expect(library_tab.locator(".chosen li")).to_have_count(2)
    tab(library_tab, "Library")
    expect(row(library_tab, "BERT")).to_be_visible()
    row(library_tab, "BERT").get_by_role("checkbox").check()
    library_tab.locator("#papers").get_by_role("button", name="Ask these").click()
    expect(library_tab.locator("#scope")).to_contain_text("Asking only")
