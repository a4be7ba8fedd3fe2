from rag.types import Answer, Citation, Paper, PaperRef, Source
from rag.ui.session import Sessions
from rag.ui.turn import Turn, begin

PAPER = Paper("p1", "One. Two.", "Paper one", "given", (Source("f", "1"),))
FIRST = Citation(1, "p1", "Paper one", "One.", 0, 4, ("f",))
SECOND = Citation(2, "p1", "Paper one", "Two.", 5, 9, ("f",))
ANSWER = Answer("q", "single", "", citations=(FIRST, SECOND), nearest=(PaperRef("p9", "Nine"),))


def session_with_turn():
    session = Sessions().of("tab")
    session.turns.append(Turn(ANSWER, (SECOND,), {"p1": PAPER}))
    return session


def test_two_tabs_share_nothing():
    sessions = Sessions()
    sessions.of("a").turns.append(Turn(ANSWER))
    assert sessions.of("b").turns == []
    assert sessions.of("a").turns


def test_a_closed_tab_stops_what_runs_for_it_and_is_forgotten():
    sessions = Sessions()
    session = sessions.of("a")
    session.draft = begin("q")
    sessions.close("a")
    assert session.stop.is_set()
    assert len(sessions) == 0


def test_a_chip_leads_to_its_paper_as_it_was_with_all_citations_of_the_turn():
    cited = session_with_turn().cited("0", "c2")
    assert cited.paper is PAPER
    assert cited.now == (5, 9)
    assert cited.spans == ((0, 4), (5, 9))


def test_evidence_and_named_papers_can_be_opened():
    session = session_with_turn()
    assert session.cited("0", "e0").now == (5, 9)
    assert session.cited("0", "pp9").paper_id == "p9"


def test_the_running_turn_can_be_opened_and_still_after_it_finished():
    session = session_with_turn()
    assert session.cited("running", "c1").now == (0, 4)


def test_references_to_nothing_lead_nowhere():
    session = session_with_turn()
    for turn, ref in [("7", "c1"), ("x", "c1"), ("0", ""), ("0", "c99"), ("0", "e9"), ("0", "cx")]:
        assert session.cited(turn, ref) is None


def test_failed_turns_are_not_history():
    session = session_with_turn()
    session.turns.append(Turn(Answer("q2", "single", "", error="no")))
    assert session.history == [ANSWER]
