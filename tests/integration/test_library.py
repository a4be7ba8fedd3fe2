"""A library of real files with the real encoder, Chroma and word index."""

import dataclasses
import shutil

import numpy as np
import pytest

from rag.errors import EmbedderMismatch, LibraryMissing, UnknownPaper, UsageError
from rag.index.retrieve import fuse
from rag.library import Library, make_sample
from rag.resources import seeds_dir
from rag.types import Scope


@pytest.fixture(scope="module")
def seeded(installed, tmp_path_factory):
    """A library of the sample lists; tests that write take a copy."""
    config = dataclasses.replace(installed, library=tmp_path_factory.mktemp("seeded") / "library")
    make_sample(config, seeds_dir())
    return config


@pytest.fixture
def copied(seeded, tmp_path):
    shutil.copytree(seeded.library, tmp_path / "copy")
    return dataclasses.replace(seeded, library=tmp_path / "copy")


@pytest.fixture
def library(real_config):
    with Library.open(real_config, create=True) as opened:
        yield opened


def write(folder, name, *paragraphs):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("\n\n".join(["My list", *paragraphs]), encoding="utf-8")
    return path


def test_the_sample_lists_become_31_papers_with_exact_text(seeded):
    paragraphs = {
        paragraph.strip()
        for file in seeds_dir().iterdir()
        for paragraph in file.read_text(encoding="utf-8").split("\n\n")[1:]
    }
    with Library.open(seeded) as opened:
        papers = opened.papers()
        assert {paper.text for paper in papers} == paragraphs
        assert len(papers) == opened.count() == 31
        assert sum(len(paper.files) == 2 for paper in papers) == 7


def test_indexing_again_changes_nothing(copied):
    with Library.open(copied) as opened:
        before = opened.papers()
        account = opened.index([seeds_dir()])
        assert (account.read, account.unchanged, account.added) == (38, 38, 0)
        assert opened.papers() == before


def test_each_paper_is_found_by_a_sentence_of_its_own(seeded):
    with Library.open(seeded) as opened:
        for paper in opened.papers():
            sentence = max(opened.sentences(paper.paper_id), key=lambda s: len(s.text))
            best = opened.search(sentence.text, k=1)[0]
            assert best.paper == paper
            assert best.evidence[0].sentence == sentence


def test_hits_are_distinct_papers_and_k_is_kept(seeded):
    with Library.open(seeded) as opened:
        hits = opened.search("diffusion models", k=10)
        assert len({hit.paper.paper_id for hit in hits}) == 10


def test_similarity_is_a_cosine_and_not_a_distance(seeded):
    with Library.open(seeded) as opened:
        exact = opened.search(opened.papers()[0].text, k=1)[0]
        gibberish = opened.search("xqzv wobble frumious", k=1)[0]
        assert exact.dense > 0.9
        assert gibberish.dense < 0.3


def test_filters_apply_before_the_ranking(seeded):
    with Library.open(seeded) as opened:
        ids = frozenset(paper.paper_id for paper in opened.papers()[20:23])
        assert {
            h.paper.paper_id for h in opened.search("neural networks", 5, Scope(paper_ids=ids))
        } == ids
        name = opened.papers()[0].files[0]
        assert len(opened.papers(Scope(file=name))) == 19


def test_a_removed_paper_is_gone_at_once_and_stays_away(copied):
    with Library.open(copied) as opened:
        gone = opened.search("gradients low-rank spiked data", k=1)[0].paper
        opened.remove([gone.paper_id])
        assert gone not in [
            hit.paper for hit in opened.search("gradients low-rank spiked data", 31)
        ]
        with pytest.raises(UnknownPaper, match="citewell list"):
            opened.paper(gone.paper_id)
        again = opened.index([seeds_dir()])
        assert (again.read, again.unchanged, len(again.skipped)) == (38, 37, 1)
        assert opened.count() == 30
        assert not make_sample(copied, seeds_dir())


def test_naming_a_file_brings_its_removed_papers_back(copied):
    with Library.open(copied) as opened:
        gone = opened.papers()[0]
        opened.remove([gone.paper_id])
        account = opened.index([seeds_dir() / gone.files[0]])
        assert (account.added, account.unchanged) == (1, 18)
        assert opened.count() == 31


def test_nothing_is_removed_where_one_id_is_unknown(copied):
    with Library.open(copied) as opened:
        with pytest.raises(UnknownPaper):
            opened.remove([opened.papers()[0].paper_id, "nope"])
        assert opened.count() == 31


def test_committed_papers_are_reported_and_searchable(library, tmp_path):
    folder = write(
        tmp_path / "in", "a.txt", "Cats purr loudly at night.", "Dogs bark at noon."
    ).parent
    committed = []
    account = library.index([folder], on_commit=committed.extend)
    assert account.added == 2
    assert committed == [paper.paper_id for paper in library.papers()]
    assert library.search("purring cat", k=1)[0].paper.text == "Cats purr loudly at night."


def test_a_file_that_is_gone_takes_its_papers_along(library, tmp_path):
    write(tmp_path / "in", "a.txt", "Cats purr loudly at night.")
    gone = write(tmp_path / "in", "b.txt", "Dogs bark at noon.")
    library.index([tmp_path / "in"])
    gone.unlink()
    assert library.index([tmp_path / "in"]).removed == 1
    assert [paper.text for paper in library.papers()] == ["Cats purr loudly at night."]
    assert len(library.search("dogs bark", k=5)) == 1


def test_an_absent_folder_removes_nothing(library, tmp_path):
    write(tmp_path / "in", "a.txt", "Cats purr loudly at night.")
    library.index([tmp_path / "in"])
    shutil.rmtree(tmp_path / "in")
    with pytest.raises(UsageError, match="no file or folder"):
        library.index([tmp_path / "in"])
    assert library.count() == 1


def test_the_end_of_a_long_abstract_is_found(library, tmp_path):
    filler = " ".join(f"We measure quantity number {n} of the system." for n in range(60))
    write(tmp_path / "in", "a.txt", f"{filler} The device is named ZORBLAX.", "Dogs bark at noon.")
    library.index([tmp_path / "in"])
    hit = library.search("What is the device ZORBLAX?", k=1)[0]
    assert hit.evidence[0].sentence.text == "The device is named ZORBLAX."
    assert hit.dense > 0.4


def test_what_is_set_in_other_glyphs_is_found_by_plain_letters(library, tmp_path):
    write(
        tmp_path / "in", "a.txt", "An eﬃcient ﬁne‐tuning keeps the repre-\nsentation of 𝑘-means.",
        "Dogs bark at noon in the yard.",
    )  # fmt: skip
    library.index([tmp_path / "in"])
    for query in ("efficient", "fine-tuning", "representation", "k-means"):
        assert len(library.word_scores(query)) == 1, query
        assert library.search(query, k=1)[0].paper.text.startswith("An eﬃcient")


def test_long_questions_that_differ_at_the_end_get_different_vectors(library):
    preamble = "I am reading about many things and want to know more. " * 60
    cats, dogs = library.embed([f"{preamble} Do cats purr?", f"{preamble} Is iron a metal?"])
    assert float(cats @ dogs) < 0.999
    assert np.linalg.norm(cats) == pytest.approx(1.0, abs=1e-3)


def test_another_embedder_is_refused_with_the_command_that_mends_it(copied, tmp_path, installed):
    from rag.llm.catalogue import find_embedder

    other = tmp_path / "other-model"
    shutil.copytree(find_embedder(installed, installed.embedder), other)
    weights = other / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    changed = dataclasses.replace(copied, embedder=str(other))
    with Library.open(changed) as opened:
        with pytest.raises(EmbedderMismatch, match=r"all-MiniLM-L6-v2.*other-model.*--rebuild"):
            opened.search("cats")
        assert opened.index([], rebuild=True).read == 0
        assert len(opened.search("cats")) == 5
    with Library.open(copied) as opened, pytest.raises(EmbedderMismatch, match="other-model"):
        opened.search("cats")


def test_sentence_vectors_are_computed_once_and_kept(copied):
    with Library.open(copied) as opened:
        paper_id = opened.papers()[0].paper_id
        first = opened.sentence_vectors(paper_id)
        assert first.shape == (len(opened.sentences(paper_id)), 384)
    with Library.open(copied) as opened:
        assert np.allclose(opened.sentence_vectors(paper_id), first, atol=2e-3)


def test_there_is_no_library_until_one_is_made(real_config):
    with pytest.raises(LibraryMissing, match="citewell index"):
        Library.open(real_config)


def test_fusion_prefers_what_both_rankings_like():
    assert fuse({1: 0.9, 2: 0.8}, {2: 5.0, 3: 1.0})[0].number == 2
