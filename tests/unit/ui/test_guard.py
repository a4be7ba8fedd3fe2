import asyncio

import pytest

from rag.ui.guard import Guard


def visit(path="/", method="GET", *, open_to_all=False, **sent_headers):
    """The messages that a request is answered with."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})

    async def send(message):
        sent.append(message)

    given = {"host": b"127.0.0.1:7860", **sent_headers}
    headers = [(name.encode(), value) for name, value in given.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    asyncio.run(Guard(app, open_to_all=open_to_all)(scope, None, send))
    return sent


def answered(path="/", **headers):
    return dict(visit(path, **headers)[0]["headers"])


def status(**request):
    return visit(**request)[0]["status"]


def test_every_answer_carries_the_policy_and_keeps_its_own_headers():
    headers = answered("/config")
    assert b"script-src-attr 'none'" in headers[b"content-security-policy"]
    assert headers[b"x"] == b"y"


def test_a_new_browser_gets_a_secret_that_scripts_cannot_read():
    first, second = answered()[b"set-cookie"], answered()[b"set-cookie"]
    assert first != second
    assert b"HttpOnly" in first
    assert b"SameSite=Strict" in first


def test_a_known_browser_keeps_its_secret():
    assert b"set-cookie" not in answered(cookie=b"a=b; citewell=secret")
    assert b"set-cookie" not in answered("/config")


@pytest.mark.parametrize("host", [b"localhost", b"LOCALHOST:1", b"127.0.0.1:7860", b"[::1]:7860"])
def test_the_names_of_this_machine_are_served(host):
    assert status(host=host) == 200


@pytest.mark.parametrize(
    "host", [b"evil.example", b"127.0.0.1.evil.example", b"", b"[::1", b"localhost@evil.example"]
)
def test_a_foreign_name_that_points_here_is_refused_without_a_login(host):
    refused = visit(host=host)
    assert refused[0]["status"] == 403
    assert b"127.0.0.1" in refused[1]["body"]
    assert b"content-security-policy" in dict(refused[0]["headers"])


def test_with_a_login_the_server_may_have_any_name():
    assert status(host=b"papers.example.org", open_to_all=True) == 200


@pytest.mark.parametrize("open_to_all", [False, True])
@pytest.mark.parametrize("origin", [b"http://evil.example", b"null", b"http://127.0.0.1:99"])
def test_another_web_page_may_not_send_anything(origin, open_to_all):
    assert status(method="POST", origin=origin, open_to_all=open_to_all) == 403
    assert status(method="GET", origin=origin, open_to_all=open_to_all) == 200


def test_the_page_itself_and_programs_may_send():
    assert status(method="POST", origin=b"http://127.0.0.1:7860") == 200
    assert status(method="POST") == 200
