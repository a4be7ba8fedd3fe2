"""Files change, and the library follows: nothing lost, nothing stale, every record accounted."""

import json
import os
import shutil

import pytest

from rag.library import Library
from rag.types import Scope
from tests.integration.hashed import write

COLD = (
    "We study the growth of trees in cold places. Trees grow slowly there, and we measure how "
    "slowly. The slowest tree grew one millimetre a year, far from any other tree."
)
FISH = "The price of fish in small harbours follows the tide. We weigh herring for a year."
MODEL = "Our new model reaches an accuracy of 71% on the harbour data, which is better than before."


@pytest.fixture
def library(real_config):
    with Library.open(real_config, create=True) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def jsonl(path, *records):
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def adds_up(account):
    return account.read == (
        account.added + account.changed + account.unchanged + account.duplicate
        + len(account.skipped)
    )  # fmt: skip


def texts(library):
    return [paper.text for paper in library.papers()]


def test_every_record_is_accounted_for(library, folder):
    (folder / "a.jsonl").write_text(json.dumps({"text": COLD}) + "\n{bad\n[1]\n{}\n")
    (folder / "b.csv").write_text(f'title,abstract\nCold Trees,"{COLD}"\nOnly a title,\n')
    (folder / "empty.txt").write_bytes(b"")
    account = library.index([folder])
    assert adds_up(account)
    assert (account.read, account.added, account.duplicate) == (7, 2, 1)
    assert [(s.file, s.place) for s in account.skipped] == [
        ("a.jsonl", "line 2"), ("a.jsonl", "line 3"), ("a.jsonl", "line 4"), ("empty.txt", "file"),
    ]  # fmt: skip
    assert [note.place for note in account.blank] == ["line 3"]
    again = library.index([folder])
    assert (again.read, again.unchanged, len(again.skipped)) == (7, 3, 4)


def test_a_title_alone_is_found(library, folder):
    (folder / "a.csv").write_text(f"title,abstract\nQuantum Pelicans of Peru,\nFish,{FISH}\n")
    library.index([folder])
    assert library.search("pelicans", k=1)[0].paper.title == "Quantum Pelicans of Peru"


def test_an_edited_abstract_replaces_the_old_one_under_the_same_id(library, folder):
    path = folder / "a.txt"
    path.write_text(f"Papers\n\n{MODEL}\n\n{FISH}\n")
    library.index([folder])
    before = library.search("accuracy of the model", k=1)[0].paper
    path.write_text(f"Papers\n\n{MODEL.replace('71%', '74%')}\n\n{FISH}\n")
    account = library.index([folder])
    assert (account.changed, account.unchanged, account.added, account.removed) == (1, 1, 0, 0)
    after = library.search("accuracy of the model", k=2)
    assert after[0].paper.paper_id == before.paper_id
    assert "74%" in after[0].evidence[0].sentence.text
    assert all("71%" not in text for text in texts(library))


def test_a_record_that_leaves_its_file_leaves_the_library(library, folder):
    path = folder / "a.txt"
    path.write_text(f"Papers\n\n{MODEL}\n\n{FISH}\n")
    library.index([folder])
    path.write_text(f"Papers\n\n{FISH}\n")
    assert library.index([folder]).removed == 1
    assert [hit.paper.text for hit in library.search("accuracy of the model", k=1)] == [FISH]


def test_swapping_records_changes_nothing_but_their_places(library, folder):
    jsonl(folder / "a.jsonl", {"text": COLD}, {"text": FISH})
    library.index([folder])
    ids = [paper.paper_id for paper in library.papers()]
    jsonl(folder / "a.jsonl", {"text": FISH}, {"text": COLD})
    account = library.index([folder])
    assert (account.unchanged, account.changed, account.removed) == (2, 0, 0)
    assert [paper.paper_id for paper in library.papers()] == ids
    assert library.papers()[0].sources[0].place == "line 2"


def test_the_same_paper_in_two_shapes_is_one_with_the_best_of_both(library, folder):
    (folder / "a.bib").write_text(
        "@article{lee24, title={Cold Trees}, author={Lee, Ann}, year=2024, journal={J. Trees},"
        f" abstract={{{COLD.replace('cold places', 'Cold Places')}}}}}"
    )
    (folder / "b.csv").write_text(f'id;title;abstract;doi\nx1;cold trees;"{COLD}";10.1000/abc\n')
    account = library.index([folder])
    assert (account.added, account.duplicate) == (1, 1)
    (paper,) = library.papers()
    assert paper.source_ids == ("lee24", "x1", "10.1000/abc")
    assert paper.files == ("a.bib", "b.csv")
    assert (paper.authors, paper.year, paper.venue) == (("Ann Lee",), 2024, "J. Trees")
    assert len(library.search("slow trees", k=5)) == 1


def test_a_joined_paper_survives_the_loss_of_one_file(library, folder):
    jsonl(folder / "a.jsonl", {"_id": "a", "text": COLD, "year": 2024})
    jsonl(folder / "b.jsonl", {"_id": "b", "text": COLD})
    library.index([folder])
    (folder / "a.jsonl").unlink()
    account = library.index([folder])
    assert account.removed == 0
    (paper,) = library.papers()
    assert (paper.source_ids, paper.year) == (("b",), None)


def test_a_renamed_file_keeps_its_papers_and_their_ids(library, folder):
    jsonl(folder / "a.jsonl", {"text": COLD})
    library.index([folder])
    before = library.papers()[0].paper_id
    (folder / "a.jsonl").rename(folder / "z.jsonl")
    assert library.index([folder]).removed == 0
    assert [(p.paper_id, p.files) for p in library.papers()] == [(before, ("z.jsonl",))]


def test_an_unreadable_file_keeps_what_was_read_from_it(library, folder):
    path = jsonl(folder / "a.jsonl", {"text": COLD})
    library.index([folder])
    path.write_bytes(b"")
    account = library.index([folder])
    assert account.removed == 0
    assert "kept" in account.skipped[0].reason
    assert texts(library) == [COLD]


def test_a_removed_paper_stays_away_when_its_file_changes_elsewhere(library, folder):
    path = folder / "a.txt"
    path.write_text(f"Papers\n\n{MODEL}\n\n{FISH}\n")
    library.index([folder])
    library.remove([library.papers()[0].paper_id])
    path.write_text(f"Papers\n\n{MODEL}\n\n{FISH}\n\n{COLD}\n")
    account = library.index([folder])
    assert adds_up(account)
    assert (account.added, account.unchanged, len(account.skipped)) == (1, 1, 1)
    assert texts(library) == [FISH, COLD]


def test_unchanged_files_are_not_embedded_again(library, folder, monkeypatch):
    jsonl(folder / "a.jsonl", {"text": COLD})
    library.index([folder])
    monkeypatch.setattr(
        "rag.index.embedder.LocalEmbedder.embed_passages", lambda *_: pytest.fail("embedded again")
    )
    os.utime(folder / "a.jsonl")
    assert library.index([folder]).unchanged == 1


def test_one_liners_by_the_thousand_are_all_kept_apart(library, folder):
    lines = [
        {"text": f"Paper {n} reports an accuracy of {n / 7:.2f} on task {n % 13}."}
        for n in range(700)
    ]
    account = library.index([jsonl(folder / "a.jsonl", *lines)])
    assert (account.read, account.added) == (700, 700)


def test_filters_by_year_author_venue_and_file(library, folder):
    jsonl(
        folder / "a.jsonl",
        {
            "text": COLD,
            "year": 2023,
            "authors": ["Yoshua Bengio", "Ann Lee"],
            "venue": "NeurIPS 2023",
        },
        {"text": FISH, "year": 2025, "authors": ["Samy Bengio"], "venue": "Journal of Fish"},
    )
    jsonl(folder / "b.jsonl", {"text": MODEL, "year": None, "authors": []})
    library.index([folder])

    def found(**scope):
        return texts_of(library.papers(Scope(**scope)))

    def texts_of(papers):
        return [paper.text for paper in papers]

    assert found(years=(2024, 2026)) == [FISH]
    assert found(author="Bengio") == [COLD, FISH]
    assert found(author="Y. Bengio") == [COLD]
    assert found(author="bengio, yoshua") == [COLD]
    assert found(author="Lee") == [COLD]
    assert found(author="Ben") == []
    assert found(venue="neurips") == [COLD]
    assert found(file="b.jsonl") == [MODEL]
    assert found(author="Bengio", years=(2025, 2025)) == [FISH]
    assert [h.paper.text for h in library.search("harbour", 9, Scope(author="Bengio"))] in (
        [FISH, COLD], [COLD, FISH],
    )  # fmt: skip


def test_a_folder_moved_away_and_back_loses_nothing(library, folder, tmp_path):
    jsonl(folder / "a.jsonl", {"text": COLD})
    library.index([folder])
    shutil.move(folder, tmp_path / "elsewhere")
    (tmp_path / "elsewhere").rename(folder)
    assert library.index([folder]).unchanged == 1


def test_progress_counts_all_records_of_a_run_and_ends_at_the_end(config, tmp_path, hashed):
    write(tmp_path / "in", 600)
    seen = []
    with Library.open(config, create=True) as library:
        library.index([tmp_path / "in"], on_progress=lambda at: seen.append((at.done, at.total)))
        assert seen == [(256, 600), (512, 600), (600, 600), (600, 600)]
        seen.clear()
        library.index([tmp_path / "in"], on_progress=lambda at: seen.append((at.done, at.total)))
        assert seen == [(600, 600)]
        library.index([], rebuild=True, on_progress=lambda at: seen.append((at.done, at.total)))
        assert seen[1:] == [(256, 600), (512, 600), (600, 600), (600, 600)]


def test_papers_that_are_not_ready_make_room_for_the_next_best(config, tmp_path, hashed):
    write(tmp_path / "in", 40)
    with Library.open(config, create=True) as library:
        library.index([tmp_path / "in"])
        everything = [hit.paper.paper_id for hit in library.search("word1 word2", k=40)]
        hidden = [library._record.paper(paper_id)[0] for paper_id in everything[:9]]
        with library._record.transaction():
            for number in hidden:
                library._record._run("UPDATE papers SET indexed = 0 WHERE number = ?", (number,))
        assert [h.paper.paper_id for h in library.search("word1 word2", k=3)] == everything[9:12]
        assert [h.paper.paper_id for h in library.search("word1 word2", k=99)] == everything[9:]


@pytest.fixture
def shut(monkeypatch):
    """Make a folder one that cannot be listed, whoever asks."""
    whole = os.scandir

    def shut_(folder):
        def scandir(path):
            if os.fspath(path) == os.fspath(folder):
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return whole(path)

        monkeypatch.setattr(os, "scandir", scandir)

    return shut_


def test_a_folder_that_cannot_be_listed_keeps_its_papers_and_is_named(
    library, folder, shut, monkeypatch
):
    (folder / "sub").mkdir()
    (folder / "a.txt").write_text(COLD)
    (folder / "sub" / "b.txt").write_text(FISH)
    library.index([folder])
    shut(folder / "sub")
    account = library.index([folder])
    assert (account.unchanged, account.removed) == (1, 0)
    assert [(s.file, s.reason) for s in account.skipped] == [
        ("sub", "the folder cannot be listed; check who may read it")
    ]
    assert adds_up(account)
    assert texts(library) == [COLD, FISH]
    monkeypatch.undo()
    (folder / "sub" / "b.txt").unlink()
    assert library.index([folder]).removed == 1


def test_a_file_whose_name_is_not_utf8_is_read_again_and_removed_like_any_other(library, folder):
    path = folder / os.fsdecode(b"bad\xff\xfename.txt")
    path.write_text(FISH)
    (folder / "a.txt").write_text(COLD)
    assert library.index([folder]).added == 2
    account = library.index([folder])
    assert (account.unchanged, account.removed) == (2, 0)
    assert "bad\\xff\\xfename.txt" in library.collections()
    path.unlink()
    assert library.index([folder]).removed == 1
    assert texts(library) == [COLD]


def test_words_that_are_no_text_find_what_the_rest_of_them_finds(library, folder):
    (folder / "a.txt").write_text(COLD)
    library.index([folder])
    assert library.search("trees \ud800 in the cold")[0].paper.text == COLD
