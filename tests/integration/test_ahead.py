"""Reading ahead over a real library with a real small model."""

import dataclasses
import threading

from rag.ahead import ReadAhead
from rag.answer.chat import Chat
from rag.answer.prompt import Prompts
from rag.llm.gguf import open_model
from rag.resources import prompts_dir
from tests.fakes import finished


def test_a_question_asked_while_papers_are_read_is_answered_and_then_all_are_ready(
    installed, invented, tmp_path
):
    config = dataclasses.replace(installed, library=tmp_path, cache_dir=tmp_path / "cache")
    model = open_model(config)
    chat = Chat(invented, model, Prompts(prompts_dir()))
    ahead = ReadAhead(invented, model, chat.prompts, chat.busy)
    ahead.start()
    try:
        _, answer = finished(chat.ask("What does TreeBuilder grow?"))
        assert answer.error is None
        assert not chat.busy()
        tick = threading.Event()
        for _ in range(3000):
            ready, total, at_rest = ahead.progress()
            if at_rest:
                break
            tick.wait(0.1)
        assert (ready, total, at_rest) == (invented.count(), invented.count(), True)
        assert len(list((tmp_path / "states").glob("*.state"))) >= total
        before = model.usage()
        finished(chat.ask("How does LoRA save memory?"))
        assert model.usage().cached_tokens > before.cached_tokens
    finally:
        ahead.close()
        model.close()
