"""Hands a text to the browser as a file: the page's script saves what stands here."""

from __future__ import annotations

from uuid import uuid4

from rag.ui.markup import escape, exact


def download_html(name: str, text: str) -> str:
    """A text to be saved under a name, once."""
    return f'<pre hidden data-file="{escape(name)}" data-once="{uuid4().hex}">{exact(text)}</pre>'
