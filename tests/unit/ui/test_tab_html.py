import numpy as np

from rag.types import Paper, Source
from rag.ui.compare_html import compare_question, picker_html
from rag.ui.layout import lay_out
from rag.ui.library_html import PAGE, table_html
from rag.ui.map_html import map_html
from rag.ui.status_html import Check, ModelLine, checks_html, facts_table_html, models_html

HOSTILE = "<img src=x onerror=alert(1)>\"'"


def paper(number, title=None, text="Graph networks learn."):
    return Paper(f"p{number}", text, title or f"Paper {number}", "given", (Source("f", "1"),))


def vectors(count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)


def test_a_comparison_needs_two_to_six_papers():
    assert " disabled>Compare" in picker_html([paper(1)], None)
    assert " disabled>Compare" not in picker_html([paper(1), paper(2)], None)
    assert " disabled>Compare" in picker_html([paper(n) for n in range(7)], None)


def test_found_papers_that_are_chosen_cannot_be_added_again():
    html = picker_html([paper(1)], [paper(1), paper(2)], "graph")
    assert 'aria-label="Add Paper 2"' in html
    assert 'aria-label="Add Paper 1"' not in html
    assert "No paper has these words" in picker_html([], [], "x")


def test_the_question_names_the_papers_and_the_aspect():
    assert compare_question([paper(1), paper(2)]) == "Compare Paper 1 and Paper 2."
    asked = compare_question([paper(1), paper(2), paper(3)], " cost ")
    assert asked == "Compare Paper 1, Paper 2 and Paper 3 with regard to cost."


def test_the_table_of_papers_says_where_one_is_in_it():
    html = table_html([paper(1)], PAGE + 1, 1, {"author": "Li"}, ["f"])
    assert f"{PAGE + 1}–{PAGE + 1} of {PAGE + 1}" in html
    assert 'data-page="0">Earlier' in html
    assert 'data-page="2" disabled>Later' in html
    assert 'name="author" value="Li"' in html
    assert "No paper fits." in table_html([], 0, 0, {}, [])


def test_hostile_titles_are_only_text_in_every_tab():
    papers = [paper(n, HOSTILE) for n in range(8)]
    drawn = [
        picker_html(papers, papers, HOSTILE),
        table_html(papers, 8, 0, {"words": HOSTILE}, [HOSTILE]),
        map_html(lay_out(papers, vectors(8)), set()),
        checks_html([Check(HOSTILE, False, HOSTILE, HOSTILE)], running=False),
        models_html([ModelLine(HOSTILE, "chat", 1, HOSTILE, False, False, HOSTILE)], HOSTILE),
        facts_table_html([(HOSTILE, HOSTILE)]),
    ]
    assert all("<img" not in html for html in drawn)


def test_the_same_papers_always_give_the_same_map_within_its_frame():
    papers = [paper(n) for n in range(40)]
    first, second = lay_out(papers, vectors(40)), lay_out(papers, vectors(40))
    assert np.array_equal(first.places, second.places)
    assert first.places.min() >= 0
    assert first.places.max() <= 1
    assert first.topics == second.topics


def test_few_papers_stand_in_a_row_in_the_middle_of_the_map():
    places = lay_out([paper(n) for n in range(3)], vectors(3)).places
    assert np.allclose(places[:, 0], [0.04, 0.5, 0.96])
    assert np.allclose(places[:, 1], 0.5)


def test_like_papers_lie_near_each_other():
    near = np.repeat(np.eye(3, 8, dtype=np.float32), 12, axis=0) + vectors(36) * 0.05
    places = lay_out([paper(n) for n in range(36)], near).places
    groups = places.reshape(3, 12, 2)
    within = np.linalg.norm(groups - groups.mean(axis=1, keepdims=True), axis=2).mean()
    centres = groups.mean(axis=1)
    between = np.linalg.norm(centres[0] - centres[1])
    assert between > 2 * within


def test_tiny_libraries_have_a_map_too():
    for count in (0, 1, 2, 3, 5):
        layout = lay_out([paper(n) for n in range(count)], vectors(count))
        assert len(layout.places) == count
    assert "empty" in map_html(lay_out([], vectors(0)), set())


def test_papers_of_the_last_answer_are_marked_on_the_map():
    html = map_html(lay_out([paper(n) for n in range(3)], vectors(3)), {"p1"})
    assert "&quot;p1&quot;,&quot;Paper 1&quot;,1]" in html
    assert "&quot;p2&quot;,&quot;Paper 2&quot;,0]" in html


def test_a_check_says_what_is_wrong_and_its_cure():
    html = checks_html([Check("model", False, "is gone", "citewell models pull")], running=False)
    assert "not right" in html
    assert "citewell models pull" in html
    assert "1 to be mended." in html
    assert "All is well." in checks_html([Check("model", True, "there")], running=False)


def test_models_can_be_used_or_downloaded_with_their_size_and_licence():
    html = models_html(
        [
            ModelLine("a", "chat", 10**9, "MIT", True, True),
            ModelLine("b", "chat", 10**9, "MIT", True, False),
            ModelLine("c", "chat", 10**9, "MIT", False, False),
            ModelLine("d", "embedder", 10**8, "MIT", True, False),
        ]
    )
    assert "1,000 MB" in html
    assert html.count("in use") == 1
    assert 'data-on="use" data-name="b"' in html
    assert 'data-on="pull" data-name="c"' in html
    assert 'data-name="d"' not in html
