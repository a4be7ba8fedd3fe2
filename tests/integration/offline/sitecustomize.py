"""Imported by Python at its start: notes and refuses each attempt to reach another machine."""

import ipaddress
import os
import sys


def _stays_here(host: object) -> bool:
    text = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return host is None or text in ("", "localhost")


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[-1]
        if not isinstance(address, tuple) or _stays_here(address[0]):
            return
    elif event not in ("socket.getaddrinfo", "socket.gethostbyname") or _stays_here(arguments[0]):
        return
    with open(os.environ["CITEWELL_TEST_ATTEMPTS"], "a") as file:  # noqa: PTH123
        file.write(f"{event} {arguments}\n")
    raise OSError("no network in this test")


sys.addaudithook(_watch)
