"""What a library is about, in its papers' own words."""

from rag.answer.overview import answer_overview, themes
from rag.types import Scanned, Scope
from tests.fakes import ScriptedModel, Shelf, make_paper, make_turn

BIRDS = [
    make_paper(f"b{i}", f"Bird songs {i}", f"Migrating birds learn bird songs from elders {w}.")
    for i, w in enumerate(["early", "late", "twice", "daily"])
]
STEEL = [
    make_paper(f"s{i}", f"Steel bridges {i}", f"Steel bridges rust under salt spray {w}.")
    for i, w in enumerate(["slowly", "quickly", "yearly"])
]
SHELF = Shelf(*BIRDS, *STEEL)


def overview(question="What is this collection about?", shelf=SHELF, scope=None):
    model = ScriptedModel()
    turn = make_turn(question, shelf, model)
    turn.draft.kind = "overview"
    if scope:
        turn.scope = scope
    events = list(answer_overview(turn))
    return events, turn.draft.done(), model


def test_papers_alike_are_one_theme_named_in_their_own_words():
    found = themes(*SHELF.paper_vectors())
    groups = {frozenset(p.paper_id[0] for p in theme.papers) for theme in found}
    assert groups == {frozenset("b"), frozenset("s")}
    for theme in found:
        words = "bird" if theme.papers[0].paper_id.startswith("b") else "steel"
        assert words in theme.name.lower()


def test_each_paper_is_in_one_theme_and_the_largest_theme_leads():
    found = themes(*SHELF.paper_vectors())
    members = [p.paper_id for theme in found for p in theme.papers]
    assert sorted(members) == sorted(p.paper_id for p in [*BIRDS, *STEEL])
    sizes = [len(theme.papers) for theme in found]
    assert sizes == sorted(sizes, reverse=True)


def test_the_same_library_gives_the_same_themes():
    first, second = (themes(*SHELF.paper_vectors()) for _ in range(2))
    assert first == second


def test_each_theme_is_cited_from_its_typical_papers_and_no_model_writes():
    _, answer, model = overview()
    cited = {c.n: c for c in answer.citations}
    assert model.prompts == []
    assert answer.sentences
    for sentence in answer.sentences:
        assert sentence.citations
        assert all(cited[n].title in sentence.text for n in sentence.citations)


def test_the_counts_of_the_themes_add_up_to_the_library():
    events, answer, _ = overview()
    assert Scanned(7, 7) in events
    counts = [int(s.text.split("(")[1].split()[0]) for s in answer.sentences]
    assert sum(counts) == 7 == answer.scanned[1]


def test_a_subject_narrows_the_overview_to_papers_on_it():
    _, answer, _ = overview("What is new on steel bridges?")
    assert {c.paper_id[0] for c in answer.citations} == {"s"}


def test_an_overview_stays_within_its_scope():
    _, answer, _ = overview(scope=Scope(paper_ids=frozenset({"b1", "b2"})))
    assert {c.paper_id for c in answer.citations} <= {"b1", "b2"}
    assert answer.scanned == (2, 2)


def test_one_paper_is_one_theme():
    _, answer, _ = overview(shelf=Shelf(BIRDS[0]))
    assert len(answer.sentences) == 1
    assert "1 paper)" in answer.sentences[0].text


def test_an_empty_scope_is_refused_and_cites_nothing():
    _, answer, _ = overview(scope=Scope(paper_ids=frozenset()))
    assert (answer.abstained, answer.reason, answer.citations) == (True, "not_in_library", ())
