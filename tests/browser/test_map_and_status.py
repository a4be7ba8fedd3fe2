"""The Map and Status tabs in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import ask
from .test_chat import finished
from .test_compare import tab


def open_map(page):
    tab(page, "Map")
    expect(page.locator("#map-canvas")).to_be_visible()
    page.wait_for_function("!!document.querySelector('#map-canvas').placeOf")


def place_of(page, paper):
    x, y = page.evaluate(f"document.querySelector('#map-canvas').placeOf('{paper}')")
    return {"x": x, "y": y}


def test_a_click_on_a_point_opens_its_paper(page):
    open_map(page)
    page.locator("#map-canvas").click(position=place_of(page, "bert"))
    expect(page.locator("#source h2")).to_have_text("BERT")


def test_the_map_is_brought_closer_without_a_wheel_and_back(page):
    open_map(page)
    apart = abs(place_of(page, "bert")["x"] - place_of(page, "lora")["x"])
    page.get_by_role("button", name="Closer").click()
    assert abs(place_of(page, "bert")["x"] - place_of(page, "lora")["x"]) > 1.5 * apart
    page.get_by_role("button", name="Farther").click()
    page.get_by_role("button", name="Whole map").click()
    assert abs(place_of(page, "bert")["x"] - place_of(page, "lora")["x"]) == apart


def test_papers_are_chosen_on_the_map_and_compared(page):
    open_map(page)
    page.get_by_label("Select papers by clicking").check()
    for paper in ("bert", "lora"):
        page.locator("#map-canvas").click(position=place_of(page, paper))
    expect(page.locator(".map-chosen span")).to_have_text("2 chosen")
    page.locator(".map-chosen").get_by_role("button", name="Compare").click()
    expect(page.locator(".chosen li")).to_have_count(2)


def test_papers_of_the_map_can_be_opened_by_keyboard(page):
    open_map(page)
    page.locator(".map-lists summary").first.focus()
    page.keyboard.press("Enter")
    page.locator(".map-lists .paper").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#source .abstract")).to_be_visible()


def test_papers_of_the_last_answer_are_marked(page):
    ask(page, "What does BERT gain?")
    finished(page)
    open_map(page)
    points = page.evaluate(
        "JSON.parse(document.querySelector('#map-canvas').dataset.points).points"
    )
    assert {point[4] for point in points if point[6]} == {"bert"}


def test_status_says_what_is_wrong_and_how_to_mend_it(page):
    tab(page, "Status")
    expect(page.locator(".state")).to_contain_text("/home/<me>/library, 3 MB")
    page.get_by_role("button", name="Check everything").click()
    expect(page.locator(".checks li")).to_have_count(2)
    expect(page.locator(".checks .wrong")).to_contain_text("citewell models pull small")
    expect(page.locator("#checks .account")).to_have_text("1 to be mended.")


def test_a_model_is_downloaded_and_used(page):
    tab(page, "Status")
    page.get_by_role("button", name="Download small").click()
    expect(page.locator("#models")).to_contain_text("small: installed")
    page.get_by_role("button", name="Use small").click()
    expect(page.get_by_role("row").filter(has_text="small")).to_contain_text("in use")
