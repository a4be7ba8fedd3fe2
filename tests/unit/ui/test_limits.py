"""How often one visitor may come, and with how much."""

import asyncio

from rag.ui.limits import BURST, MOST_BYTES, PER_SECOND, Limits


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def made(*, often=True):
    clock = Clock()

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    limits = Limits(app, often=often, clock=clock)

    def status(client="192.0.2.1", method="POST", path="/gradio_api/queue/join", length=b"2"):
        sent = []

        async def send(message):
            sent.append(message)

        headers = [] if length is None else [(b"content-length", length)]
        scope = {
            "type": "http", "method": method, "path": path, "headers": headers,
            "client": (client, 1),
        }  # fmt: skip
        asyncio.run(limits(scope, None, send))
        return sent[0]["status"]

    return status, clock


def test_a_burst_is_served_then_only_as_many_as_time_gives():
    status, clock = made()
    assert {status() for _ in range(BURST)} == {200}
    assert status() == 429
    clock.now += 3 / PER_SECOND
    assert [status() for _ in range(4)] == [200, 200, 200, 429]


def test_one_visitor_does_not_use_up_what_another_has():
    status, _ = made()
    for _ in range(BURST + 1):
        status("192.0.2.1")
    assert status("192.0.2.1") == 429
    assert status("192.0.2.2") == 200


def test_reading_the_page_is_not_counted():
    status, _ = made()
    assert {status(method="GET") for _ in range(3 * BURST)} == {200}


def test_on_this_machine_alone_nothing_is_counted():
    status, _ = made(often=False)
    assert {status() for _ in range(3 * BURST)} == {200}


def test_a_request_larger_than_the_limit_is_refused_before_it_is_read():
    status, _ = made(often=False)
    assert status(length=b"%d" % MOST_BYTES) == 200
    assert status(length=b"%d" % (MOST_BYTES + 1)) == 413


def test_an_upload_must_say_its_size():
    status, _ = made(often=False)
    assert status(path="/gradio_api/upload", length=None) == 411
    assert status(path="/gradio_api/upload/", length=b"x") == 411
    assert status(path="/gradio_api/queue/join", length=None) == 200
