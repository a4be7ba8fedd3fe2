"""Indexes, asks, and loads the served page; says what the kernel could not route.

Meant for a network namespace of its own, where there is no way out, so that attempts of
libraries that are not written in Python are counted too.
"""

import fcntl
import json
import os
import re
import socket
import struct
import subprocess
import sys
import urllib.request
from pathlib import Path

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


def main(papers: str) -> None:
    alone = os.environ.get("CITEWELL_TEST_ALONE") == "1"
    if alone:
        bring_loopback_up()
    before = unrouted()
    citewell("index", papers)
    turn = json.loads(citewell("ask", "What does TreeBuilder grow?", "--json"))["turns"][0]
    page = load_page()
    result = {
        "unrouted": unrouted() - before if alone else 0,
        "error": turn["error"],
        "written": turn["timings"]["completion_tokens"],
        "page": page,
    }
    sys.stdout.write(json.dumps(result))


def bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def unrouted() -> int:
    """Packets that found no way out, IPv4 and IPv6."""
    names, values = (
        line.split() for line in Path("/proc/net/snmp").read_text().splitlines()
        if line.startswith("Ip:")
    )  # fmt: skip
    six = Path("/proc/net/snmp6")
    sixes = re.findall(r"^Ip6OutNoRoutes\s+(\d+)", six.read_text() if six.exists() else "", re.M)
    return int(values[names.index("OutNoRoutes")]) + sum(map(int, sixes))


def citewell(*arguments: str) -> str:
    command = [sys.executable, "-m", "rag.cli", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def load_page() -> bool:
    """Whether the page comes, and with it the script that draws it."""
    command = [sys.executable, "-m", "rag.cli", "serve", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    lines = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stderr)
    address = next(found for found in lines if found)[0]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        html = opener.open(address, timeout=300).read().decode()
        script = opener.open(f"{address}/page/page.js", timeout=60).read()
        return "Citewell" in html and bool(script)
    finally:
        server.terminate()
        server.wait(60)


main(sys.argv[1])
