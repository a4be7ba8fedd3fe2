"""Speaks HTTP with a model server, so that a stop closes the connection at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from rag.errors import CitewellError, ModelMissing, ServerFailed, Stopped, UsageError
from rag.types import Stop

if TYPE_CHECKING:
    import httpx

Json = dict[str, Any]
_T = TypeVar("_T")
_POLL_SECONDS = 0.05
_CONNECT_SECONDS = 10.0
_SAID = 200
_LOOK = "Its own log may say more."
_TOO_LONG = re.compile(r"context.{0,20}(?:length|window|size)|exceed.{0,40}context|too long", re.I)


class Refused(ServerFailed):
    """The server understood the request and will not have it in this form."""


class Wire:
    """A connection to the server at `base`, which ends in a slash.

    `patience` is how many seconds the server may be silent. What is read from the
    environment, such as proxies, is left out: text goes to the named server and nowhere else.
    """

    def __init__(self, base: str, key: str | None, patience: float) -> None:
        import httpx
        from anyio.from_thread import start_blocking_portal

        self._base, self._key, self._patience = base, key, patience
        self._client = httpx.AsyncClient(
            base_url=base,
            headers={"Authorization": f"Bearer {key}"} if key else None,
            timeout=httpx.Timeout(patience, connect=min(_CONNECT_SECONDS, patience)),
            trust_env=False,
        )
        self._running = start_blocking_portal()
        self._portal = self._running.__enter__()

    def close(self) -> None:
        """End all requests and the thread that makes them."""
        self._portal.call(self._client.aclose)
        self._running.__exit__(None, None, None)

    def get(self, path: str) -> Json:
        """The JSON object at a path. Errors as in `post`."""
        return self._whole("GET", path, None, None)

    def post(self, path: str, body: Json, stop: Stop | None = None) -> Json:
        """The JSON object that answers a body.

        Raises:
            ModelMissing: nothing listens there, the key is wrong, or the path is unknown.
            Refused: the server answered with another error.
            UsageError: the prompt is longer than the server's context.
            ServerFailed: it kept silent or broke off.
            Stopped: `stop` was set.
        """
        return self._whole("POST", path, body, stop)

    def lines(self, path: str, body: Json, stop: Stop | None = None) -> Iterator[str]:
        """The lines of a streamed answer as they come. Errors as in `post`."""
        lines: SimpleQueue[str | None] = SimpleQueue()
        future = self._start(partial(self._pump, path, body, lines.put))
        future.add_done_callback(lambda _: lines.put(None))
        try:
            while (line := _next(lines, stop)) is not None:
                yield line
            self._result(future)
        finally:
            future.cancel()

    # ------------------------------------------------------------ in the other thread

    async def _request(self, method: str, path: str, body: Json | None) -> Json:
        response = await self._client.request(method, path, json=body)
        self._check(response.status_code, response.text)
        try:
            value = response.json()
        except ValueError as error:
            raise ServerFailed(f"{self._there} did not answer with JSON. {_LOOK}") from error
        if not isinstance(value, dict):
            raise ServerFailed(f"{self._there} did not answer with an object. {_LOOK}")
        return value

    async def _pump(self, path: str, body: Json, put: Callable[[str], None]) -> None:
        async with self._client.stream("POST", path, json=body) as response:
            if response.status_code != 200:
                await response.aread()
                self._check(response.status_code, response.text)
            async for line in response.aiter_lines():
                put(line)

    # ------------------------------------------------------------ in the caller's

    def _whole(self, method: str, path: str, body: Json | None, stop: Stop | None) -> Json:
        future = self._start(partial(self._request, method, path, body))
        try:
            while not wait([future], _POLL_SECONDS).done:
                _check_stop(stop)
            return self._result(future)
        finally:
            future.cancel()

    def _start(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> Future[_T]:
        return self._portal.start_task_soon(work)

    def _result(self, future: Future[_T]) -> _T:
        import httpx

        try:
            return future.result()
        except httpx.HTTPError as error:
            raise self._named(error) from error

    def _named(self, error: httpx.HTTPError) -> CitewellError:
        import httpx

        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return ModelMissing(
                f"{self._there} cannot be reached. Start it, or name another model with --model."
            )
        if isinstance(error, httpx.TimeoutException):
            return ServerFailed(
                f"{self._there} was silent for {self._patience:g} seconds. See whether it is busy "
                "with other work, then ask again."
            )
        return ServerFailed(f"{self._there} broke off its answer. Ask again. {_LOOK}")

    def _check(self, status: int, text: str) -> None:
        if status == 200:
            return
        said = self._shortened(text)
        if status in (401, 403):
            raise ModelMissing(
                f"{self._there} asks for a key ({status}). Put the right one into the "
                "environment variable CITEWELL_API_KEY."
            )
        if status == 404:
            raise ModelMissing(
                f"{self._there} does not know what it was asked for (404: {said}). The address "
                "mostly ends in /v1; a model is named after it, as in .../v1#NAME."
            )
        if status in (400, 413, 422, 500) and _TOO_LONG.search(said):
            raise UsageError(
                "The question and the abstract are longer than the model server's context. Serve "
                f"the model with 4,096 tokens or more, or ask in fewer words. It said: {said}"
            )
        raise Refused(f"{self._there} answered with error {status}: {said}. {_LOOK}")

    def _shortened(self, text: str) -> str:
        said = " ".join(text.split())
        if self._key:
            said = said.replace(self._key, "…")
        return f"{said[:_SAID]}…" if len(said) > _SAID else said

    @property
    def _there(self) -> str:
        return f"The model server at {self._base}"


def _next(lines: SimpleQueue[str | None], stop: Stop | None) -> str | None:
    """The next line, None after the last; asks `stop` while it waits."""
    while True:
        _check_stop(stop)
        try:
            return lines.get(timeout=_POLL_SECONDS)
        except Empty:
            continue


def _check_stop(stop: Stop | None) -> None:
    if stop is not None and stop.is_set():
        raise Stopped("Stopped.")
