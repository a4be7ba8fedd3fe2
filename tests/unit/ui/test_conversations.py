import sqlite3
from contextlib import closing

import pytest

from rag.errors import CitewellError, LibraryDamaged
from rag.types import Answer, AnswerSentence, Cell, Citation, Paper, PaperRef, Row, Source, Table
from rag.ui.conversations import Conversations
from rag.ui.turn import Turn

PAPER = Paper("p1", "One.", "Paper one", "given", (Source("f", "1"),), authors=("A",), year=2025)
CITATION = Citation(1, "p1", "Paper one", "One.", 0, 4, ("f",))
TURN = Turn(
    Answer(
        "Why <so>?",
        "compare",
        "x [1]",
        sentences=(AnswerSentence("x", (1,), "supported"),),
        citations=(CITATION,),
        table=Table(("data",), (Row("p1", (Cell("One.", (1,)),)),)),
        entries=(PaperRef("p1", "Paper one", (1,)),),
        scanned=(1, 1),
    ),
    evidence=(CITATION,),
    papers={"p1": PAPER},
    stopped=True,
)


@pytest.fixture
def kept(tmp_path):
    return Conversations(tmp_path / "deep" / "talks.sqlite3")


def test_a_conversation_comes_back_as_it_was_with_its_papers(kept):
    kept.save("me", "c1", [TURN])
    assert kept.load("me", "c1") == (TURN,)


def test_nothing_is_made_on_disk_before_it_is_used(tmp_path):
    Conversations(tmp_path / "deep" / "talks.sqlite3")
    assert list(tmp_path.iterdir()) == []


def test_others_can_neither_see_change_nor_delete_it(kept):
    kept.save("me", "c1", [TURN])
    kept.save("you", "c1", [TURN, TURN])
    kept.rename("you", "c1", "stolen")
    kept.delete("you", "c1")
    assert kept.listed("you") == []
    assert kept.load("you", "c1") == ()
    assert [item.name for item in kept.listed("me")] == ["Why <so>?"]
    assert len(kept.load("me", "c1")) == 1


def test_it_is_named_after_the_first_question_until_renamed(kept):
    kept.save("me", "c1", [TURN])
    kept.rename("me", "c1", "  A  better\nname ")
    kept.save("me", "c1", [TURN, TURN])
    assert kept.listed("me")[0].name == "A better name"
    kept.rename("me", "c1", "   ")
    assert kept.listed("me")[0].name == "A better name"


def test_the_newest_stands_first_and_words_are_found_in_name_and_talk(kept):
    kept.save("me", "c1", [TURN])
    kept.save("me", "c2", [Turn(Answer("Other?", "single", "Zebra"))])
    assert [item.conversation_id for item in kept.listed("me")] == ["c2", "c1"]
    assert [item.conversation_id for item in kept.listed("me", "zebra")] == ["c2"]
    assert kept.listed("me", "100%_") == []


def test_a_deleted_conversation_is_gone(kept):
    kept.save("me", "c1", [TURN])
    kept.delete("me", "c1")
    assert kept.listed("me") == []
    assert kept.load("me", "c1") == ()


def test_an_empty_conversation_is_not_kept(kept):
    kept.save("me", "c1", [])
    assert kept.listed("me") == []


def test_only_this_user_may_read_the_file(kept, tmp_path):
    kept.save("me", "c1", [TURN])
    assert (tmp_path / "deep" / "talks.sqlite3").stat().st_mode & 0o077 == 0


def test_what_cannot_be_read_is_said_plainly(kept, tmp_path):
    kept.save("me", "c1", [TURN])
    with closing(sqlite3.connect(tmp_path / "deep" / "talks.sqlite3")) as file, file:
        file.execute("update conversation set turns = '[{\"answer\": 7}]'")
    with pytest.raises(LibraryDamaged, match="Delete it"):
        kept.load("me", "c1")


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(kept, tmp_path):
    path = tmp_path / "deep" / "talks.sqlite3"
    kept.save("me", "c1", [TURN])
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(LibraryDamaged, match="talks-damaged-1"):
        kept.listed("me")
    assert kept.listed("me") == []
    kept.save("me", "c2", [TURN])
    assert len(kept.listed("me")) == 1
    path.write_bytes(b"again" * 1000)
    with pytest.raises(LibraryDamaged, match="talks-damaged-2"):
        kept.save("me", "c3", [TURN])
    assert (tmp_path / "deep" / "talks-damaged-1.sqlite3").read_bytes().startswith(b"not a")


def test_a_file_that_cannot_be_written_is_told_and_left_alone(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(CitewellError, match="cannot be kept"):
        Conversations(tmp_path / "file" / "talks.sqlite3").save("me", "c1", [TURN])


def test_settings_are_kept_for_each_owner(kept):
    assert kept.setting("me", "length") == ""
    kept.set_setting("me", "length", "short")
    kept.set_setting("me", "length", "long")
    assert (kept.setting("me", "length"), kept.setting("you", "length")) == ("long", "")
