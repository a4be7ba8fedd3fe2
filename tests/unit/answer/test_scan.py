"""Lists and counts over every paper in scope."""

import pytest

from rag.answer.scan import Weighed, answer_list, cut, weigh, with_margins
from rag.types import EntryFound, EvidenceFound, Scanned, Scope
from tests.fakes import ScriptedModel, Shelf, make_paper, make_turn


def weighed(*scores):
    return [Weighed(make_paper(str(i), f"T{i}", "X."), s) for i, s in enumerate(scores)]


def ids(items):
    return [item.paper.paper_id for item in items]


def test_the_cut_is_at_the_largest_gap():
    entries, near = cut(weighed(3.0, 2.9, 2.8, 1.0, 0.9))
    assert ids(entries) == ["0", "1", "2"]
    assert near == []


def test_papers_just_below_the_cut_are_borderline():
    entries, near = cut(weighed(3.0, 1.95, 1.7, 1.55))
    assert ids(entries + near) == ["0", "1", "2"]
    assert near


def test_where_nothing_scores_nothing_belongs():
    assert cut(weighed(0.2, 0.1)) == ([], [])
    assert cut([]) == ([], [])


def test_margins_count_from_those_of_the_unlikely_papers():
    shifted = with_margins(weighed(1.0, 1.0, 1.0, 1.0), [7.0, 2.0, 2.0, 2.0])
    level = with_margins(weighed(1.0, 1.0, 1.0, 1.0), [5.0, 0.0, 0.0, 0.0])
    assert [item.score for item in shifted] == [item.score for item in level]
    assert ids(shifted)[0] == "0"


def test_without_a_judge_the_prior_alone_orders_all_papers():
    assert ids(with_margins(weighed(1.0, 3.0, 2.0), [])) == ["1", "2", "0"]


def test_papers_with_the_words_of_the_question_weigh_more():
    shelf = Shelf(
        make_paper("fox", "Foxes", "Foxes sleep in the forest."),
        make_paper("graph", "Graph Networks", "Graph networks pass messages along edges."),
    )
    turn = make_turn("Which papers use graph networks?", shelf)
    weights = {w.paper.paper_id: w.prior for w in weigh(turn, turn.search(turn.question, 2))}
    assert weights["graph"] > 2 * weights["fox"]


GRAPHS, OTHERS = 6, 14
SUBJECTS = ["foxes", "rivers", "bridges", "violins", "bread", "comets", "glaciers"]


def library():
    graphs = [
        make_paper(f"g{i}", f"Study {i}", f"We train graph neural networks for {SUBJECTS[i]}.")
        for i in range(GRAPHS)
    ]
    others = [
        make_paper(f"o{i}", f"Note {i}", f"A survey of {SUBJECTS[i % 7]} number {i} in the field.")
        for i in range(OTHERS)
    ]
    return Shelf(*graphs, *others)


def listed(question, *, model=None, scope=None):
    turn = make_turn(question, library(), model or judge())
    if scope:
        turn.scope = scope
    events = list(answer_list(turn))
    return events, turn.draft.done()


def judge(**more):
    return ScriptedModel(margin={"graph neural networks for": 3.0}, **more)


@pytest.mark.parametrize("can_judge", [True, False])
def test_every_fitting_paper_is_listed_and_the_count_is_that_of_the_entries(can_judge):
    _, answer = listed(
        "How many papers use graph neural networks? List them.", model=judge(can_judge=can_judge)
    )
    assert {e.paper_id for e in answer.entries} == {f"g{i}" for i in range(GRAPHS)}
    assert answer.text.startswith(f"{GRAPHS} of {GRAPHS + OTHERS} papers")
    assert answer.scanned == (GRAPHS + OTHERS, GRAPHS + OTHERS)
    assert (answer.judged > 0) is can_judge
    assert not answer.abstained


def test_each_entry_is_told_as_it_is_found_with_its_own_verbatim_source():
    events, answer = listed("Which papers use graph neural networks?")
    found = [event for event in events if isinstance(event, EntryFound)]
    assert [event.entry for event in found] == list(answer.entries)
    for event in found:
        assert {c.paper_id for c in event.citations} == {event.entry.paper_id}
        assert "graph neural networks" in event.citations[0].quote


def test_evidence_is_shown_before_the_model_reads_anything():
    model = judge()
    events = answer_list(make_turn("Which papers use graph neural networks?", library(), model))
    first = next(events)
    assert isinstance(first, EvidenceFound)
    assert "graph neural networks" in first.citations[0].quote
    assert model.prompts == []


def test_an_entry_also_cites_what_its_authors_did():
    shelf = Shelf(
        make_paper(
            "walk", "Walking", "Reinforcement learning makes robots walk. Robots fall often. "
            "We propose soft knees that bend.",
        )
    )  # fmt: skip
    turn = make_turn("Which papers are on reinforcement learning?", shelf)
    list(answer_list(turn))
    quotes = [c.quote for c in turn.draft.citations]
    assert quotes == [
        "Reinforcement learning makes robots walk.",
        "We propose soft knees that bend.",
    ]


def test_progress_never_goes_back_and_ends_with_all_papers():
    events, _ = listed("Which papers use graph neural networks?")
    done = [event.done for event in events if isinstance(event, Scanned)]
    assert done == sorted(done)
    assert done[-1] == GRAPHS + OTHERS


def test_a_list_stays_within_its_scope():
    _, answer = listed(
        "Which papers use graph neural networks?",
        scope=Scope(paper_ids=frozenset({"g1", "g2", "o1"})),
    )
    assert {e.paper_id for e in answer.entries} == {"g1", "g2"}
    assert answer.scanned == (3, 3)


def test_where_no_paper_fits_the_list_is_refused_and_names_the_nearest():
    _, answer = listed(
        "Which papers study zebrafish heart surgery?", model=ScriptedModel(margin=-5)
    )
    assert answer.abstained
    assert answer.reason == "not_in_library"
    assert answer.entries == ()
    assert answer.citations == ()
    assert 1 <= len(answer.nearest) <= 3


def test_one_of_several_names_is_enough():
    shelf = Shelf(
        make_paper("digits", "Digits", "We test on MNIST."),
        make_paper("photos", "Photos", "We test on ImageNet."),
        make_paper("proofs", "Proofs", "We test nothing."),
    )
    turn = make_turn("Which papers name MNIST or ImageNet?", shelf)
    priors = {item.paper.paper_id: item.prior for item in weigh(turn, turn.search(turn.question))}
    both = make_turn("Which papers name MNIST and ImageNet?", shelf)
    halves = {item.paper.paper_id: item.prior for item in weigh(both, both.search(both.question))}
    assert priors["digits"] > halves["digits"]
    assert priors["photos"] > priors["proofs"]


def test_where_the_model_says_no_to_all_and_few_words_fit_the_list_is_refused():
    shelf = Shelf(make_paper("a", "Digits", "We test on MNIST."))
    turn = make_turn("Which papers deal with speech?", shelf, ScriptedModel(margin=-2.0))
    list(answer_list(turn))
    assert turn.draft.entries == ()


def test_a_phrase_that_most_papers_share_weighs_less_than_a_rare_one():
    common = [
        make_paper(f"c{i}", f"Model {i}", f"Generative models draw {SUBJECTS[i]}.")
        for i in range(7)
    ]
    shelf = Shelf(*common, make_paper("rare", "Safety", "We ask who may misuse pictures."))
    turn = make_turn("Which papers ask who may misuse generative models?", shelf)
    priors = {item.paper.paper_id: item.prior for item in weigh(turn, turn.search("models", 8))}
    assert priors["rare"] > priors["c0"]
