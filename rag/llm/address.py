"""Where a chat model answers: a file on this machine, or a server, and whose."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from rag.errors import UsageError


@dataclass(frozen=True, slots=True)
class Address:
    """An OpenAI-compatible server. `base` ends in a slash; `model` None takes its only one."""

    base: str
    host: str
    model: str | None

    @property
    def is_loopback(self) -> bool:
        """Whether what is sent there stays on this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def is_address(model: str) -> bool:
    """Whether a model is named by the address of a server."""
    return model.lower().startswith(("http://", "https://"))


def parse_address(model: str) -> Address:
    """Read `http://HOST:PORT/v1`, or the same with `#MODEL`. Raises UsageError."""
    try:
        parts = urlsplit(model)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"The address of the model server is wrong: {error}.") from error
    if parts.username or parts.password:
        raise UsageError(
            "Keep names and passwords out of the server's address; "
            "put the key into the environment variable CITEWELL_API_KEY."
        )
    if not host or parts.query:
        raise UsageError(f"{model!r} is no address of a server; write http://HOST:PORT/v1.")
    base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/"
    return Address(base, host, parts.fragment or None)


def sent_to(model: str) -> str | None:
    """The host that questions and abstracts are sent to; None when they stay here."""
    if not is_address(model):
        return None
    address = parse_address(model)
    return None if address.is_loopback else address.host
