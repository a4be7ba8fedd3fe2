"""The chat in a real browser, over scripted answers."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from .conftest import ask, guard, open_page


def finished(page, count=1):
    expect(page.locator("#turns .turn")).to_have_count(count)
    expect(page.locator("#running .turn")).to_have_count(0)


def test_a_cited_answer_leads_to_the_highlighted_sentence_and_nothing_leaves_the_origin(
    page, foreign
):
    ask(page, "What does LoRA propose?")
    finished(page)
    expect(page.locator(".prose")).to_contain_text("LoRA freezes the weights")
    page.locator(".prose .chip").nth(1).click()
    cited = page.locator("#source #cited")
    expect(cited).to_have_text("LoRA needs 3 times less memory than full fine-tuning.")
    expect(cited).to_be_in_viewport()
    expect(page.locator("#source h2")).to_contain_text("Low-Rank Adaptation")
    expect(page.locator("#source .abstract")).to_contain_text("71.2 ± 0.3")
    assert foreign == []


def test_evidence_is_on_screen_before_the_answer_is_finished(page, served):
    served.chat.pause = 0.2
    try:
        ask(page, "What does LoRA propose?")
        expect(page.locator("#running .evidence .quote")).to_have_count(2)
        expect(page.locator("#running .pending")).to_be_visible()
        page.locator("#running .evidence .quote").first.click()
        expect(page.locator("#source #cited")).to_have_text("We propose LoRA, which")
    finally:
        served.chat.pause = 0.01
    finished(page)


def test_a_second_turn_works_and_is_given_the_first(page, served):
    ask(page, "What does LoRA propose?")
    finished(page)
    ask(page, "How much memory does it save?")
    finished(page, 2)
    assert served.chat.asked[-1] == ("How much memory does it save?", ["What does LoRA propose?"])
    page.locator("#turn-0 .prose .chip").first.click()
    expect(page.locator("#source #cited")).to_have_text("We propose LoRA, which")


def test_signs_that_other_programs_interpret_are_shown_as_written(page):
    ask(page, "What does BERT gain?")
    finished(page)
    prose = page.locator(".prose")
    expect(prose).to_contain_text("It gains (~3 points) on A and (~5 points) on B; $3 versus $5.")
    expect(prose).to_contain_text("[1]: BERT [7]")
    expect(prose.locator(".chip")).to_have_count(1)
    expect(page.locator(".prose a, .prose del, .prose math")).to_have_count(0)


def test_markup_in_titles_abstracts_and_answers_is_text_and_nothing_runs(page, foreign):
    ask(page, "What is masked?")
    finished(page)
    expect(page.locator(".prose")).to_contain_text(
        "It predicts <mask> <img src=x onerror=window.broken=1> ${window.broken=1} {{x}} `y`."
    )
    page.locator(".prose .chip").hover()
    expect(page.locator("#preview")).to_contain_text("Predicting <mask> tokens <img src=x")
    page.locator(".prose .chip").click()
    expect(page.locator("#source h2")).to_have_text(
        "Predicting <mask> tokens <img src=x onerror=window.broken=1>"
    )
    abstract = page.locator("#source .abstract")
    expect(abstract).to_contain_text("<script>window.broken=1</script>")
    expect(abstract).to_contain_text("${window.broken=1} and {{window.broken=1}}")
    expect(abstract).to_contain_text("<b>plain</b>")
    expect(page.locator("#source .origin")).to_contain_text("../../<i>x</i>.txt, line <3>")
    assert page.evaluate("window.broken") is None
    assert page.locator("#chat img").count() == 0
    assert foreign == []


def test_a_refusal_offers_the_nearest_papers_to_open(page):
    ask(page, "Who won the World Cup?")
    finished(page)
    expect(page.locator(".refusal")).to_have_text("Nothing in this library is about that.")
    expect(page.locator(".prose .chip")).to_have_count(0)
    page.get_by_role("button", name="BERT", exact=True).click()
    expect(page.locator("#source h2")).to_have_text("BERT")


def test_stop_works_before_the_first_word_and_the_talk_goes_on(page):
    ask(page, "Read for long")
    page.locator("#stop").click()
    started = time.monotonic()
    finished(page)
    assert time.monotonic() - started < 5
    expect(page.locator("#turns .notice")).to_have_text("Stopped before the end.")
    ask(page, "What does LoRA propose?")
    finished(page, 2)


def test_two_browsers_share_nothing(page, browser, served, foreign):
    ask(page, "What does LoRA propose?")
    finished(page)
    other_context = browser.new_context()
    guard(other_context, served.url, foreign)
    other = other_context.new_page()
    open_page(other, served.url)
    ask(other, "What does BERT gain?")
    finished(other)
    ask(page, "How much memory does it save?")
    finished(page, 2)
    assert served.chat.asked[-1] == ("How much memory does it save?", ["What does LoRA propose?"])
    assert "LoRA" not in other.locator("#turns").inner_text()
    other_context.close()


def test_try_again_replaces_the_last_turn(page, served):
    ask(page, "What does LoRA propose?")
    finished(page)
    served.chat.pause = 0.05
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#turns .turn")).to_have_count(0)
    finished(page)
    served.chat.pause = 0.01
    assert [question for question, _ in served.chat.asked[-2:]] == ["What does LoRA propose?"] * 2
    assert served.chat.asked[-1][1] == []


def test_a_new_conversation_forgets_the_old_one_even_while_it_runs(page, served):
    ask(page, "Read for long")
    expect(page.locator("#running .stage")).to_be_visible()
    page.locator("#new").click()
    expect(page.locator(".welcome h1")).to_be_visible()
    ask(page, "What does LoRA propose?")
    finished(page)
    assert served.chat.asked[-1][1] == []


def test_an_example_question_fills_the_box(page):
    page.locator(".example").first.click()
    expect(page.locator("#question textarea")).to_have_value(
        "What does LoRA: Low-Rank Adaptation of Large Language Models propose?"
    )


def test_shift_enter_breaks_the_line_and_an_empty_question_is_not_sent(page):
    box = page.locator("#question textarea")
    box.press("Enter")
    expect(page.locator(".turn")).to_have_count(0)
    box.fill("one")
    box.press("Shift+Enter")
    box.press_sequentially("two")
    expect(box).to_have_value("one\ntwo")


def test_the_keyboard_alone_leads_from_a_question_to_its_source_and_back(page):
    expect(page.locator("#question textarea")).to_be_focused()
    page.keyboard.type("What does LoRA propose?")
    page.keyboard.press("Enter")
    finished(page)
    chip = page.locator(".prose .chip").first
    for _ in range(15):
        if chip.evaluate("chip => chip === document.activeElement"):
            break
        page.keyboard.press("Shift+Tab")
    expect(page.locator("#preview")).to_contain_text("We propose LoRA, which")
    page.keyboard.press("Enter")
    cited = page.locator("#source #cited")
    expect(cited).to_be_focused()
    expect(cited).to_have_text("We propose LoRA, which")
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()


def test_a_click_opens_the_source_and_leaves_the_focus_in_the_talk(page):
    ask(page, "What does LoRA propose?")
    finished(page)
    page.locator(".prose .chip").first.click()
    expect(page.locator("#source #cited")).to_be_visible()
    expect(page.locator(".prose .chip").first).to_be_focused()


def test_what_happens_is_told_to_screen_readers_by_a_part_that_stays(page, served):
    teller = page.locator("#teller[role=status]")
    expect(teller).to_have_count(1)
    ask(page, "Read for long")
    expect(teller).to_contain_text("Taking up the question")
    page.locator("#stop").click()
    finished(page)
    ask(page, "How much memory does it save?")
    finished(page, 2)
    expect(teller).to_contain_text("Answered. How much memory does it save? Three times less. [1]")


def test_an_answer_and_a_table_are_copied_as_plain_text(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, "What does LoRA propose?")
    finished(page)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#turn-0 .actions")).to_contain_text("Copied")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "trains low-rank matrices. [1] It needs 3 times less memory. [2]" in text
    ask(page, "Compare LoRA: Low-Rank Adaptation of Large Language Models and BERT.")
    finished(page, 2)
    page.get_by_role("button", name="Copy the table").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[2] == "code\tnot stated in the abstract\tnot stated in the abstract"


def test_copying_works_where_the_browser_keeps_the_clipboard_from_the_page(page):
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.evaluate("document.execCommand = () => { window.taken = document.activeElement.value; }")
    ask(page, "How much memory does it save?")
    finished(page)
    page.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_function("window.taken !== undefined")
    assert "Three times less. [1]" in page.evaluate("window.taken")


def test_the_page_says_that_inline_handlers_and_foreign_hosts_are_forbidden(page, served):
    policy = page.request.get(served.url).headers["content-security-policy"]
    assert "script-src-attr 'none'" in policy
    assert "connect-src 'self'" in policy


def test_a_question_that_waits_says_what_is_before_it(page, served):
    served.chat.pause = 0.05
    ask(page, "Am I next?")
    expect(page.locator("#running .stage")).to_contain_text("yours is number 2 in the queue")
    finished(page)
    served.chat.pause = 0.01


def test_a_stopped_turn_leaves_a_history_that_the_next_question_can_refer_to(page, served):
    ask(page, "What does LoRA propose?")
    finished(page)
    ask(page, "Read for long")
    page.locator("#stop").click()
    finished(page, 2)
    ask(page, "How much memory does it save?")
    finished(page, 3)
    assert served.chat.asked[-1][1] == ["What does LoRA propose?", "Read for long"]


def test_likely_papers_of_a_list_are_shown_before_it_is_finished(page, served):
    served.chat.pause = 1.0
    try:
        ask(page, "Which papers train something?")
        likely = page.locator("#running .nearest")
        expect(likely).to_contain_text("Likely so far")
        expect(page.locator("#running .stage")).to_contain_text("papers")
        assert page.locator("#running").inner_text().count("Scanned") == 1
    finally:
        served.chat.pause = 0.01
    finished(page)
    expect(page.locator(".entries li")).to_have_count(2)


def test_the_length_of_answers_is_chosen_and_kept_for_the_next_visit(page, served):
    ask(page, "What does LoRA propose?")
    finished(page)
    assert served.chat.lengths[-1] == "normal"
    page.get_by_label("Answers").select_option("short")
    ask(page, "How much memory does it save?")
    finished(page, 2)
    assert served.chat.lengths[-1] == "short"
    open_page(page, served.url)
    expect(page.get_by_label("Answers")).to_have_value("short")


def test_formulas_of_an_abstract_are_drawn_and_the_cited_sentence_is_still_marked(page):
    ask(page, "What does LoRA propose?")
    finished(page)
    page.locator(".prose .chip").first.click()
    formula = page.locator("#source .abstract math")
    expect(formula).to_have_count(1)
    assert formula.locator("mfrac").bounding_box()["height"] > 10
    expect(page.locator("#source #cited")).to_have_text("We propose LoRA, which")


def test_nothing_jumps_while_an_answer_is_written(page, served):
    served.chat.pause = 0.05
    page.evaluate(
        "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach("
        "(entry) => { window.shift += entry.hadRecentInput ? 0 : entry.value; }))"
        ".observe({type: 'layout-shift'})"
    )
    ask(page, "Both?")
    finished(page)
    served.chat.pause = 0.01
    assert page.evaluate("window.shift") < 0.1
