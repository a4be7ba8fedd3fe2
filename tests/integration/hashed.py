"""Libraries whose vectors are hashes, to be quick: the papers in them, and whether all is right."""

import json
import random


def papers(count, edition=0):
    rng = random.Random(5)
    words = [f"word{n}" for n in range(400)]
    for n in range(count):
        text = " ".join(rng.choices(words, k=30))
        yield {"_id": str(n), "text": f"{text} edition{edition if n % 3 == 0 else 0}."}


def write(folder, count, edition=0):
    folder.mkdir(exist_ok=True)
    lines = "\n".join(json.dumps(record) for record in papers(count, edition))
    (folder / "a.jsonl").write_text(lines, encoding="utf-8")


def consistent(library):
    """Each paper shown is in both indexes, once, with the text that it has now."""
    shown = library._record.papers()
    vectors = library._indexes.vectors.of([number for number, _ in shown])
    assert set(vectors) == {number for number, _ in shown}
    assert library._indexes.words.count() == len(shown)
    for _, paper in random.Random(1).sample(shown, min(5, len(shown))):
        assert library.search(paper.text, k=1)[0].paper == paper
