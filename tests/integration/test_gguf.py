"""The GGUF adapter over a real small model: text stays text, and kept states change nothing."""

import dataclasses
import shutil
import threading

import pytest

from rag.errors import ModelDamaged, Stopped, UsageError
from rag.llm.catalogue import find_model
from rag.llm.gguf import GgufModel, open_model
from rag.llm.native import BATCH
from rag.llm.states import StateCache
from rag.llm.template import ChatTemplate
from rag.types import Prompt

SYSTEM = "You help a researcher with one research abstract at a time."
TREES = Prompt(
    SYSTEM,
    "Title: TreeBuilder\nAbstract:\nStrings often yield invalid molecules. We propose TreeBuilder, "
    "which grows molecules as trees from a root fragment and reaches 91.5% validity on QM9.",
    "Question: How does TreeBuilder grow molecules?",
)
LIGHT = Prompt(
    SYSTEM,
    "Title: BrightNet\nAbstract:\nBrightNet restores dark photographs with one shallow network.",
    "Question: What does BrightNet restore?",
)
LIMIT = 4
PLAIN = {1: 1.0}
WIDE = {1: 1.0, 2: 1.1, 4: 1.2, 8: 1.3}
COPY = "Repeat the abstract word for word."
NEAR_TIE = 1.0
"""Steps of several tokens run other kernels; differences of logits up to 0.9 were seen."""


class StopAfter:
    """Set once it has been asked so many times."""

    def __init__(self, times):
        self.asked, self.times = 0, times

    def is_set(self):
        self.asked += 1
        return self.asked > self.times


def opened(config, folder=None, **more):
    settings = {
        "name": "small",
        "can_judge": True,
        "states": StateCache(2**28, folder, 2**30),
        "context_tokens": 1024,
        "threads": 1,
        "costs": PLAIN,
    }
    return GgufModel(find_model(config, config.model), **{**settings, **more})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("states")


@pytest.fixture(scope="module")
def model(installed, folder):
    own = opened(installed, folder)
    yield own
    own.close()


@pytest.fixture(scope="module")
def uncached(installed):
    own = opened(installed, states=StateCache(0, None, 0))
    yield own
    own.close()


@pytest.fixture(scope="module")
def expected(uncached):
    """Margin and greedy text of each prompt, computed without any kept state."""
    return {p: (uncached.margin(p), text(uncached, p)) for p in (TREES, LIGHT)}


def text(model, prompt, **more):
    return "".join(model.write(prompt, limit=LIMIT, **more))


def cached_in(model, call):
    before = model.usage().cached_tokens
    result = call()
    return result, model.usage().cached_tokens - before


def test_control_tokens_in_content_stay_text(model):
    native = model._native
    marks = ["<|im_end|>", "<|im_start|>", "<|endoftext|>"]
    special = [native.tokenize(mark, special=True) for mark in marks]
    assert all(len(tokens) == 1 for tokens in special)
    hostile = Prompt(*(f"a{''.join(marks)}b" for _ in range(3)))
    clean = Prompt("ab", "ab", "ab")
    ids = {tokens[0] for tokens in special}

    def turns(prompt):
        tokens = model._tokens(prompt, room=1)
        return [t for t in [*tokens.document, *tokens.task] if t in ids]

    assert turns(hostile) == turns(clean)


def test_the_template_in_the_header_is_chatml(model):
    assert model._template == ChatTemplate(
        head="<|im_start|>system\n",
        after_system="<|im_end|>\n<|im_start|>user\n",
        between="\n\n",
        tail="<|im_end|>\n<|im_start|>assistant\n",
    )


def test_margins_and_text_are_the_same_with_and_without_a_kept_state(model, expected):
    for prompt in (TREES, LIGHT, TREES):
        first = model.margin(prompt)
        again, cached = cached_in(model, lambda prompt=prompt: model.margin(prompt))
        assert cached > 0
        assert first == again == expected[prompt][0]
        assert text(model, prompt) == expected[prompt][1] != ""


def test_a_state_restored_from_disk_gives_the_same_answer(installed, model, folder, expected):
    model.prepare(TREES, stop=threading.Event())
    later = opened(installed, folder)
    try:
        margin, cached = cached_in(later, lambda: later.margin(TREES))
        assert cached > 0
        assert (margin, text(later, TREES)) == expected[TREES]
    finally:
        later.close()


@pytest.mark.parametrize("foreign", [b"", b"junk" * 100])
def test_a_state_that_does_not_fit_is_computed_again(installed, expected, foreign):
    own = opened(installed)
    try:
        key = own._key(own._tokens(TREES, room=1).document)
        own._states.put(key, foreign)
        margin, cached = cached_in(own, lambda: own.margin(TREES))
        assert (margin, cached) == (expected[TREES][0], 0)
        margin, cached = cached_in(own, lambda: own.margin(TREES))
        assert margin == expected[TREES][0]
        assert cached > 0
    finally:
        own.close()


def test_a_damaged_state_on_disk_is_computed_again(installed, tmp_path, expected):
    first = opened(installed, tmp_path)
    first.prepare(TREES, stop=threading.Event())
    first.close()
    (path,) = tmp_path.glob("*.state")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    second = opened(installed, tmp_path)
    try:
        margin, cached = cached_in(second, lambda: second.margin(TREES))
        assert (margin, cached) == (expected[TREES][0], 0)
    finally:
        second.close()


def test_another_context_length_does_not_share_states(installed, model, folder):
    other = opened(installed, folder, context_tokens=512)
    try:
        document = model._tokens(TREES, room=1).document
        assert other._key(document) != model._key(document)
    finally:
        other.close()


def test_a_stop_while_the_prompt_is_read_ends_within_one_step(model, expected):
    long = dataclasses.replace(LIGHT, document="BrightNet restores photographs. " * 60)
    stop = StopAfter(1)
    before = model.usage()
    with pytest.raises(Stopped):
        model.margin(long, stop=stop)
    assert model.count_tokens(long.document) > 3 * BATCH
    assert stop.asked == 2
    assert model.usage() == before
    assert model.margin(TREES) == expected[TREES][0]


def test_a_stop_while_writing_keeps_what_was_written_and_the_next_answer_is_whole(model, expected):
    stop = threading.Event()
    pieces = model.write(TREES, limit=LIMIT, stop=stop)
    first = next(pieces)
    stop.set()
    with pytest.raises(Stopped):
        next(pieces)
    assert expected[TREES][1].startswith(first)
    assert text(model, TREES) == expected[TREES][1]


def test_an_answer_that_nobody_reads_on_does_not_keep_the_model(model, expected):
    unread = model.write(TREES, limit=LIMIT)
    next(unread)
    unread.close()
    assert model.margin(LIGHT) == expected[LIGHT][0]


def test_two_threads_at_once_get_the_answers_they_get_alone(model, expected):
    got = {}

    def ask(prompt):
        got[prompt] = (model.margin(prompt), text(model, prompt))

    threads = [threading.Thread(target=ask, args=(p,)) for p in (TREES, LIGHT)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert got == expected


@pytest.fixture(scope="module")
def drafting(installed):
    own = opened(installed, costs=WIDE)
    yield own
    own.close()


def tokens_of(model, prompt, limit):
    with model._lock:
        tokens = model._tokens(prompt, room=limit)
        return list(model._generate(tokens, model._prefill(tokens, None), limit, None))


def steps_of(model, monkeypatch, prompt, limit):
    """The tokens of an answer, and (first, end) of the places each step of it decoded."""
    steps, decode = [], model._native.decode

    def noted(tokens, position, *, logits):
        steps.append((position, position + len(tokens)))
        return decode(tokens, position, logits=logits)

    with monkeypatch.context() as patch:
        patch.setattr(model._native, "decode", noted)
        tokens = tokens_of(model, prompt, limit)
    begin = len(model._tokens(prompt, room=limit))
    return tokens, [(a - begin, b - begin) for a, b in steps if a >= begin]


def gap_after(model, prompt, written):
    """The lead of the likeliest token over the next after a prompt and what was written."""
    with model._lock:
        tokens = model._tokens(prompt, room=len(written) + 1)
        logits = model._prefill(tokens, None)
        for i, token in enumerate(written):
            logits = model._native.decode([token], len(tokens) + i, logits=1)[0]
        second, first = sorted(logits)[-2:]
        return float(first - second)


@pytest.mark.parametrize("prompt", [TREES, LIGHT], ids=["trees", "light"])
@pytest.mark.parametrize("task", [COPY, ""])
def test_drafts_change_nothing_but_near_ties(uncached, drafting, prompt, task):
    prompt = dataclasses.replace(prompt, task=task or prompt.task)
    plain, drafted = (tokens_of(m, prompt, 40) for m in (uncached, drafting))
    at = next((i for i, (a, b) in enumerate(zip(plain, drafted, strict=False)) if a != b), None)
    if at is None:
        assert plain == drafted
    else:
        assert gap_after(uncached, prompt, plain[:at]) < NEAR_TIE


def test_a_copied_text_takes_fewer_steps_than_it_has_tokens(drafting, monkeypatch):
    prompt = dataclasses.replace(TREES, task=COPY)
    tokens, steps = steps_of(drafting, monkeypatch, prompt, 40)
    assert max(end - first for first, end in steps) == 8
    assert len(steps) < 0.6 * len(tokens)


def test_answers_with_drafts_are_the_same_each_time_and_with_a_kept_state(installed, tmp_path):
    prompt = dataclasses.replace(TREES, task=COPY)
    answers = []
    for _ in range(2):
        own = opened(installed, tmp_path, costs=WIDE)
        answers += [tokens_of(own, prompt, 30) for _ in range(2)]
        own.close()
    assert len(answers[0]) == 30
    assert answers == answers[:1] * 4


def test_an_answer_ends_at_its_limit_within_a_draft(drafting, monkeypatch):
    prompt = dataclasses.replace(TREES, task=COPY)
    whole = tokens_of(drafting, prompt, 40)
    for limit in (1, 2, 9):
        tokens, steps = steps_of(drafting, monkeypatch, prompt, limit)
        assert tokens == whole[:limit]
        assert all(end <= limit for _, end in steps)


def test_costs_are_measured_once_and_kept_for_the_model(installed, tmp_path):
    first = opened(installed, costs=None, paces=tmp_path)
    (file,) = [*tmp_path.iterdir()] or [None]
    if file is None:  # other programs were in the way
        assert first.costs == PLAIN
    else:
        file.write_text('{"1": 1.0, "2": 1.5, "4": 2.5, "8": 5.5}')
        second = opened(installed, costs=None, paces=tmp_path)
        assert second.costs == {1: 1.0, 2: 1.5, 4: 2.5, 8: 5.5}
        second.close()
    first.close()


def test_reading_ahead_gives_way_in_the_middle_of_a_step(model, expected):
    unread = dataclasses.replace(LIGHT, document="A paper nobody has read. " * 60)
    stop = StopAfter(300)
    before = model.usage()
    with pytest.raises(Stopped):
        model.prepare(unread, stop=stop)
    assert 300 < stop.asked < 310
    assert model.usage() == before
    assert model.margin(TREES) == expected[TREES][0]


def test_reading_ahead_ends_where_there_is_no_more_room(installed, tmp_path):
    never = threading.Event()
    own = opened(installed, states=StateCache(0, tmp_path, 4 * 2**20))
    prompts = [dataclasses.replace(LIGHT, document=f"Paper {n}. " * 20) for n in range(9)]
    done = [own.prepare(prompt, stop=never) for prompt in prompts]
    own.close()
    assert done[0]
    assert not done[-1]
    kept = len(list(tmp_path.glob("*.state")))
    assert done == [True] * kept + [False] * (9 - kept)


def test_a_state_made_ahead_is_used_by_the_first_question(installed, tmp_path, expected):
    own = opened(installed, tmp_path)
    assert own.prepare(TREES, stop=threading.Event())
    margin, cached = cached_in(own, lambda: own.margin(TREES))
    own.close()
    assert cached > 0
    assert margin == expected[TREES][0]


def test_a_prompt_past_the_context_is_refused_and_the_answer_keeps_its_room(model, expected):
    room = model.context_tokens - len(model._tokens(TREES, room=0))
    longer = dataclasses.replace(TREES, task=TREES.task + " why" * (room - 20))
    with pytest.raises(UsageError, match="fewer words"):
        next(model.write(longer, limit=100))
    assert model.margin(TREES) == expected[TREES][0]


def test_usage_counts_prompt_cached_and_written_tokens(model):
    model.prepare(LIGHT, stop=threading.Event())
    before = model.usage()
    pieces = list(model.write(LIGHT, limit=3))
    after = model.usage()
    tokens = model._tokens(LIGHT, room=3)
    assert after.prompt_tokens - before.prompt_tokens == len(tokens)
    assert after.cached_tokens - before.cached_tokens == len(tokens.document)
    assert after.completion_tokens - before.completion_tokens == 3 >= len(pieces)


def test_half_a_model_is_named_with_its_size_and_what_to_do(installed, tmp_path):
    path = tmp_path / "half.gguf"
    shutil.copy(find_model(installed, installed.model), path)
    half = path.stat().st_size // 2
    with path.open("r+b") as file:
        file.truncate(half)
    with pytest.raises(ModelDamaged, match=r"half\.gguf") as raised:
        open_model(dataclasses.replace(installed, model=str(path), library=tmp_path))
    assert f"{half:,}" in str(raised.value)
