from dataclasses import replace

from rag.types import Paper, Source
from rag.ui.page_html import examples, facts_html, welcome_html


def paper(number, text="Graph networks are useful. Deep graph networks win.", source="given"):
    return Paper(f"p{number}", text, f"Paper {number}", source, (Source("f", "1"),))


def test_the_top_line_says_what_one_needs_to_trust():
    html = facts_html(1, "tiny <model>", "offline")
    assert "1 paper<" in html
    assert "tiny &lt;model&gt;" in html
    assert "offline" in html
    assert "20,000 papers" in facts_html(20_000, "m", "offline")


def test_examples_come_from_the_library_itself():
    questions = examples([paper(n) for n in range(4)])
    assert questions[0] == "What does Paper 0 propose?"
    assert "Compare Paper 1 and Paper 2." in questions


def test_the_topic_of_an_example_is_shared_but_not_by_all():
    papers = [paper(0), paper(1), *(paper(n, "Proteins fold quickly.") for n in range(2, 8))]
    named = replace(papers[0], title="On graph networks")
    assert "Which papers are about graph networks?" in examples([named, *papers[1:]])


def test_words_that_no_title_holds_are_not_taken_for_a_topic():
    papers = [paper(n, "A wide range of graph networks win.") for n in range(6)]
    assert not any("wide range" in question for question in examples(papers))


def test_headings_that_we_made_are_not_used_as_names():
    assert examples([paper(n, source="generated") for n in range(4)])[-1].startswith("What are")


def test_the_first_page_says_what_is_missing():
    assert "Opening the library" in welcome_html(None)
    assert "The library is empty" in welcome_html(())
    assert "no &lt;model&gt;" in welcome_html(None, problem="no <model>")
