import asyncio

from rag.ui.guard import Guard


def answered(path="/", cookie=None):
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})

    async def send(message):
        sent.append(message)

    headers = [(b"cookie", cookie)] if cookie else []
    asyncio.run(Guard(app)({"type": "http", "path": path, "headers": headers}, None, send))
    return dict(sent[0]["headers"])


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
