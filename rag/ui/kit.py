"""The few parts of Gradio that the page is made of; the only module that imports it.

Handlers of the other modules know nothing of Gradio: they take a `Visit`, the data that
the button carried, and the values of input components, and return what to show.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import gradio as gr
from fastapi import FastAPI

from rag.errors import CitewellError
from rag.ui.guard import COOKIE

Component = Any
Value = Any
Handler = Callable[..., Value]

_UPLOAD_LIMIT = "64mb"
# Seconds between two looks, and the age at which an upload goes; imports are copies.
_UPLOADS_KEPT = (3600, 3600)
_HEAD = (
    '<link rel="stylesheet" href="/page/page.css"><script src="/page/page.js"></script>'
    '<script src="/page/map.js"></script>'
)
_SEND = """
const send = (part, more) => trigger(`on_${part.dataset.on}`, {...part.dataset, ...more});
element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-on]');
  if (button) send(button, {});
});
element.addEventListener('change', (event) => {
  const part = event.target;
  if (part.matches('input[data-on], select[data-on]')) send(part, {value: part.value});
});
element.addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  if (!form.dataset.on) return;
  const fields = {};
  for (const [name, value] of new FormData(form, event.submitter)) {
    fields[name] = name in fields ? `${fields[name]}\\n${value}` : value;
  }
  send(form, fields);
});
"""


@dataclass(frozen=True, slots=True)
class Visit:
    """Who uses the page: the open tab, and the browser or login it belongs to."""

    tab: str
    owner: str


def page() -> AbstractContextManager[Component]:
    """The page as a whole; parts made within it stand in it."""
    return gr.Blocks(  # type: ignore[no-any-return]
        title="Citewell", analytics_enabled=False, fill_width=True, delete_cache=_UPLOADS_KEPT
    )


def column(name: str) -> AbstractContextManager[Component]:
    """Parts below one another."""
    return gr.Column(elem_id=name, min_width=0)  # type: ignore[no-any-return]


def row(name: str) -> AbstractContextManager[Component]:
    """Parts beside one another."""
    return gr.Row(elem_id=name)  # type: ignore[no-any-return]


def surface(name: str, html: str = "", events: Sequence[str] = ()) -> Component:
    """A place for our own HTML, whose elements with `data-on` send the events named.

    Python listens to `data-on="find"` with `surface.on_find`.
    """
    # Gradio lets Python listen to an event only if its name stands quoted in the script.
    names = " ".join(f"'on_{event}'" for event in events)
    script = f"{_SEND}// {names}" if events else None
    return gr.HTML(html, elem_id=name, js_on_load=script, apply_default_css=False)


def question_box(name: str, limit: int) -> Component:
    """A box in which Enter sends and Shift+Enter breaks the line."""
    return gr.Textbox(
        placeholder="Ask about the papers",
        label="Your question",
        show_label=False,
        container=False,
        max_lines=8,
        max_length=limit,
        autofocus=True,
        elem_id=name,
    )


def button(name: str, text: str, *, visible: bool = True) -> Component:
    """A button outside of our own HTML."""
    return gr.Button(text, elem_id=name, visible=visible, min_width=80)


def drop_zone(name: str, endings: Sequence[str]) -> Component:
    """A place to drop files on."""
    return gr.File(
        file_count="multiple",
        file_types=list(endings),
        label="Files to add",
        show_label=False,
        height=130,
        elem_id=name,
    )


def timer(seconds: float) -> Component:
    """Ticks while the page is open."""
    return gr.Timer(seconds)


def skip() -> Value:
    """Leave a part as it is."""
    return gr.skip()


def shown_if(visible: bool) -> Value:
    """Show or hide a part."""
    return gr.update(visible=visible)


def active_if(active: bool) -> Value:
    """Let a timer run or rest."""
    return gr.Timer(active=active)


def on(
    event: Component,
    handler: Handler,
    outputs: Sequence[Component] = (),
    inputs: Sequence[Component] = (),
    *,
    once: bool = False,
) -> None:
    """Let an event call `handler(visit, data, *inputs)`, a function or a generator.

    Events of one tab may run side by side, and the handlers see to what must not; with
    `once` an event is dropped while the one before it is being answered.
    """
    event(
        _streaming(handler) if inspect.isgeneratorfunction(handler) else _calling(handler),
        list(inputs) or None,
        list(outputs) or None,
        show_progress="hidden",
        api_visibility="private",
        concurrency_limit=None,
        trigger_mode="once" if once else "multiple",
    )


def offer(name: str, function: Handler) -> None:
    """Let programs call a function by HTTP; its annotations and docstring describe it."""

    @functools.wraps(function)
    def call(*values: Value, **named: Value) -> Value:
        try:
            return function(*values, **named)
        except CitewellError as error:
            raise gr.Error(str(error), print_exception=False) from error

    # Outside of Gradio's queue: the chat has its own, and MCP then needs no second request.
    gr.api(call, api_name=name, queue=False, concurrency_limit=None)


def on_close(blocks: Component, handler: Callable[[str], None]) -> None:
    """Call `handler(tab)` when a tab of the browser is closed."""

    def close(request: gr.Request) -> None:
        handler(request.session_hash or "")

    blocks.unload(close)


def _calling(handler: Handler) -> Handler:
    def call(event: gr.EventData, request: gr.Request, *values: Value) -> Value:
        return handler(_visit(request), _data(event), *values)

    return call


def _streaming(handler: Handler) -> Handler:
    def stream(event: gr.EventData, request: gr.Request, *values: Value) -> Iterator[Value]:
        yield from handler(_visit(request), _data(event), *values)

    return stream


def _data(event: gr.EventData) -> dict[str, str]:
    data = getattr(event, "_data", None)
    return {key: str(value) for key, value in data.items()} if isinstance(data, dict) else {}


def _visit(request: gr.Request) -> Visit:
    secret = request.cookies.get(COOKIE, "")
    owner = f"login {request.username}" if request.username else f"browser {secret}"
    hidden = hashlib.sha256(owner.encode()).hexdigest()
    return Visit(request.session_hash or "", hidden if request.username or secret else "")


def mount(
    app: FastAPI, blocks: Component, login: tuple[str, str] | None, *, mcp: bool = False
) -> FastAPI:
    """The web application with the page at its root, and an MCP server beside it if asked."""
    return gr.mount_gradio_app(  # type: ignore[no-any-return]
        app,
        blocks,
        path="/",
        auth=[login] if login else None,
        footer_links=[],
        run_history=False,
        max_file_size=_UPLOAD_LIMIT,
        mcp_server=mcp,
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["monospace"]),
        head=_HEAD,
    )
