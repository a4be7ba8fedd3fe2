"""A chat over abstracts with LlamaIndex, its llama.cpp and its Chroma integration.

Runs as a script in an environment of its own, and imports nothing of ours: it reads a JSON file
(model, embedder, abstracts, talks, threads, limit) and writes the turns it timed to another one.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import chromadb
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.llms.llama_cpp import LlamaCPP
from llama_index.vector_stores.chroma import ChromaVectorStore

TOP = 5
CONTEXT = 4096


def main(asked: Path, answered: Path) -> None:
    """Answer the talks one after the other."""
    job = json.loads(asked.read_text(encoding="utf-8"))
    index = _index(job)
    model = _model(job)
    turns = []
    for questions in job["talks"]:
        engine = index.as_chat_engine(chat_mode="context", llm=model, similarity_top_k=TOP)
        turns.append([_ask(engine, question) for question in questions])
    answered.write_text(json.dumps(turns), encoding="utf-8")


def _index(job: dict[str, Any]) -> VectorStoreIndex:
    collection = chromadb.EphemeralClient().create_collection("abstracts")
    storage = StorageContext.from_defaults(vector_store=ChromaVectorStore(collection))
    return VectorStoreIndex.from_documents(
        [Document(text=text) for text in job["abstracts"]],
        storage_context=storage,
        embed_model=HuggingFaceEmbedding(model_name=job["embedder"], device="cpu"),
    )


def _model(job: dict[str, Any]) -> LlamaCPP:
    return LlamaCPP(
        model_path=job["model"],
        temperature=0.0,
        max_new_tokens=job["limit"],
        context_window=CONTEXT,
        model_kwargs={"n_threads": job["threads"], "n_threads_batch": job["threads"]},
        messages_to_prompt=_chatml,
        completion_to_prompt=lambda text: text,
        verbose=False,
    )


def _chatml(messages: Any) -> str:
    """The chat template of the models that are measured here."""
    turns = (f"<|im_start|>{m.role.value}\n{m.content}<|im_end|>\n" for m in messages)
    return "".join(turns) + "<|im_start|>assistant\n"


def _ask(engine: Any, question: str) -> dict[str, float | None]:
    started = time.perf_counter()
    answer = engine.stream_chat(question)
    evidence = time.perf_counter() - started if answer.source_nodes else None
    first, count = None, 0
    for piece in answer.response_gen:
        if piece and first is None:
            first = time.perf_counter() - started
        count += bool(piece)
    total = time.perf_counter() - started
    # Where the sources come with the first token, they are seen no sooner.
    seen = min(evidence, first) if evidence is not None and first is not None else evidence
    return {
        "evidence_s": seen, "first_s": first, "item_s": first, "total_s": total, "tokens": count
    }  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
