import pytest

from rag.errors import ModelMissing, UnknownPaper
from rag.types import Answer, Citation, Done, Failed, Paper, Routed, Source, Token
from rag.ui.backend import Backend
from rag.ui.session import Session
from rag.ui.talk import answer_turn

PAPER = Paper("p1", "One.", "Paper one", "given", (Source("f", "1"),))


class Shelf:
    def papers(self, scope=None):
        return (PAPER,)

    def count(self):
        return 1

    def collections(self):
        return ("f",)

    def paper(self, paper_id):
        if paper_id != "p1":
            raise UnknownPaper(paper_id)
        return PAPER

    def search(self, text, k=10, scope=None):
        return []


class Fixed:
    def __init__(self, *events):
        self.events = events
        self.histories = []

    def ask(self, question, history, *, scope=None, length="normal", stop=None):
        self.histories.append([answer.question for answer in history])
        for event in self.events:
            if isinstance(event, Exception):
                raise event
            yield event


def backend(chat):
    made = Backend(Shelf, lambda _: chat)
    made.start()
    return made


def done(question="q", **more):
    return Done(Answer(question, "single", "x", **more))


def run(session, chat, question="q"):
    return list(answer_turn(session, backend(chat), question))


def test_a_finished_turn_stands_in_the_session_with_its_papers():
    session = Session()
    citation = Citation(1, "p1", "Paper one", "One.", 0, 4, ("f",))
    run(session, Fixed(Routed("single", "q"), done(citations=(citation,))))
    assert [turn.answer.text for turn in session.turns] == ["x"]
    assert session.turns[0].papers == {"p1": PAPER}
    assert not session.busy


def test_the_second_turn_is_given_the_first():
    session, chat = Session(), Fixed(done())
    run(session, chat)
    run(session, chat)
    assert chat.histories == [[], ["q"]]


@pytest.mark.parametrize("failure", [RuntimeError("x"), ModelMissing("fetch the model")])
def test_a_failure_ends_the_turn_with_a_plain_message_and_the_next_turn_works(failure):
    session = Session()
    run(session, Fixed(Token(0, "a"), failure))
    assert session.turns[0].answer.error
    assert "Traceback" not in session.turns[0].answer.error
    chat = Fixed(done())
    run(session, chat)
    assert chat.histories == [[]]
    assert session.turns[1].answer.error is None


def test_a_failure_that_the_chat_reports_is_shown():
    session = Session()
    run(session, Fixed(Failed("Ask again."), done(error="Ask again.")))
    assert session.turns[0].answer.error == "Ask again."


def test_a_problem_while_opening_is_told_at_the_question():
    def missing(_):
        raise ModelMissing("run citewell models pull")

    broken = Backend(Shelf, missing)
    broken.start()
    session = Session()
    list(answer_turn(session, broken, "q"))
    assert session.turns[0].answer.error == "run citewell models pull"


def test_an_empty_question_and_one_while_busy_are_not_taken_up():
    session, chat = Session(), Fixed(done())
    assert run(session, chat, "  ") == []
    turn = answer_turn(session, backend(chat), "q")
    next(turn)
    assert run(session, chat) == []


def test_a_stopped_turn_is_kept_as_stopped_and_is_valid_history():
    session, chat = Session(), Fixed(Routed("single", "q"), done())
    turn = answer_turn(session, backend(chat), "q")
    next(turn)
    session.stop.set()
    list(turn)
    assert session.turns[0].stopped
    assert session.turns[0].answer.error is None


def test_a_turn_that_was_running_at_a_reset_leaves_no_trace():
    session, chat = Session(), Fixed(Token(0, "a"), done())
    turn = answer_turn(session, backend(chat), "q")
    next(turn)
    session.reset()
    list(turn)
    assert session.turns == []
    assert not session.busy


def test_a_paper_removed_meanwhile_does_not_end_the_turn():
    session = Session()
    gone = Citation(1, "gone", "Gone", "x", 0, 1, ("f",))
    run(session, Fixed(done(citations=(gone,))))
    assert session.turns[0].papers == {}
