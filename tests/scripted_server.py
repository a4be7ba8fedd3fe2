"""A model server whose every answer is told by hand, faults among them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass
class Script:
    """What a server says. `answer(body)` gives the text; `tops` the first token's likeliest.

    `refuse(body)` may name a status and a text instead. `chunks` streams are cut after
    `cut_after` pieces, and each piece waits `pause` seconds.
    """

    answer: Callable[[Body], str] = lambda body: "Yes" if asks_stated(body) else "No"
    tops: Callable[[Body], dict[str, float]] | None = None
    reasoning: Callable[[Body], str] = lambda body: ""
    refuse: Callable[[Body], tuple[int, str] | None] = lambda body: None
    models: list[Body] = field(default_factory=lambda: [{"id": "folder/tiny.gguf"}])
    key: str | None = None
    pause: float = 0.0
    cut_after: int | None = None
    silent: bool = False
    bodies: list[Body] = field(default_factory=list)
    reading: threading.Event = field(default_factory=threading.Event)
    broken_off: threading.Event = field(default_factory=threading.Event)


STATED = ("How many bees", "What is added")


def asks_stated(body: Body) -> bool:
    """Whether the question is one that the abstract of the opening trials answers."""
    return any(part in body["messages"][-1]["content"] for part in STATED)


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """The address of a running server that follows the script."""
    server = _Server(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *values: object) -> None:
        pass

    def do_GET(self) -> None:
        if self._allowed():
            self._send(200, {"object": "list", "data": self.server.script.models})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.script.bodies.append(body)
        if not self._allowed():
            return
        refusal = self.server.script.refuse(body)
        if refusal:
            self._send(refusal[0], {"error": {"message": refusal[1]}})
        elif self.server.script.silent:
            self._wait_for_the_end()
        elif body.get("stream"):
            self._stream(body)
        else:
            self._send(200, _whole(self.server.script, body))

    def _allowed(self) -> bool:
        if self.server.script.key in (None, self.headers.get("authorization", "")[7:]):
            return True
        self._send(401, {"detail": f"no: {self.headers.get('authorization')}"})
        return False

    def _send(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _wait_for_the_end(self) -> None:
        self.connection.settimeout(20)
        self.server.script.reading.set()
        if self.connection.recv(1) == b"":
            self.server.script.broken_off.set()

    def _stream(self, body: Body) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        text = self.server.script.answer(body)
        pieces = [text[i : i + 4] for i in range(0, len(text), 4)]
        try:
            for piece in pieces[: self.server.script.cut_after]:
                self._event({"choices": [{"delta": {"content": piece}}]})
                time.sleep(self.server.script.pause)
        except OSError:
            self.server.script.broken_off.set()
            return
        if self.server.script.cut_after is None:
            self._event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, value: object) -> None:
        self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
        self.wfile.flush()


def _whole(script: Script, body: Body) -> Body:
    message = {"content": script.answer(body), "reasoning_content": script.reasoning(body)}
    choice: Body = {"message": message}
    if script.tops and body.get("logprobs"):
        tops = [{"token": t, "logprob": p} for t, p in script.tops(body).items()]
        choice["logprobs"] = {"content": [{"token": "", "logprob": 0.0, "top_logprobs": tops}]}
    return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}
