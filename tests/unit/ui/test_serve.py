import socket

import pytest

from rag.errors import PortInUse, UsageError
from rag.ui.app import check_mcp, listen, login_for


def test_a_taken_port_is_reported_with_another_to_try():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortInUse, match=f"--port {port + 1}"):
            listen("127.0.0.1", port)


def test_an_address_that_is_not_ours_is_a_usage_error():
    with pytest.raises(UsageError, match="Cannot listen"):
        listen("192.0.2.7", 0)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "example", "::"])
def test_a_host_that_others_reach_demands_a_login(host):
    with pytest.raises(UsageError, match="--auth"):
        login_for(host, None)
    assert login_for(host, "me:secret:2") == ("me", "secret:2")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_alone_needs_no_login(host):
    assert login_for(host, None) is None


@pytest.mark.parametrize("auth", ["", "me", "me:", ":x"])
def test_half_a_login_is_refused(auth):
    with pytest.raises(UsageError, match="NAME:PASSWORD"):
        login_for("127.0.0.1", auth)


def test_mcp_with_a_login_is_refused_because_it_could_not_hold_there():
    with pytest.raises(UsageError, match="without --auth"):
        check_mcp(("me", "secret"))


def test_mcp_without_its_package_names_the_extra(monkeypatch):
    monkeypatch.setattr("rag.ui.app.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"citewell\[mcp\]"):
        check_mcp(None)
