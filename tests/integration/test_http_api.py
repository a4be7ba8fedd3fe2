"""What the served page offers to programs, over scripted answers and real HTTP."""

import json
import threading
import time
from contextlib import contextmanager
from http.client import HTTPConnection

import httpx
import pytest
import uvicorn

from rag.api_http import Endpoints
from rag.errors import ModelMissing
from rag.ui import limits
from rag.ui.app import listen
from rag.ui.backend import Backend
from rag.ui.conversations import Conversations
from rag.ui.desk import Desk
from tests.browser.scripted import ScriptedChat, ScriptedLibrary, ScriptedMachine
from tests.browser.shelf import PAPERS, SCRIPTS

QUESTION = "What does LoRA propose?"


@contextmanager
def served(folder, *, login=None, open_chat=None, mcp=False):
    """A client of a page with scripted answers."""
    from rag.ui.page import make_app

    chat = ScriptedChat(SCRIPTS)
    backend = Backend(lambda: ScriptedLibrary(PAPERS), open_chat or (lambda _: chat), "scripted")
    desk = Desk(
        backend, Conversations(folder / "conversations.sqlite3"), lambda: folder / "imports"
    )
    endpoints = Endpoints(backend).all()
    app = make_app(desk, ScriptedMachine(backend), login, endpoints=endpoints, mcp=mcp)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    backend.start()
    while not (server.started and backend.ready):
        time.sleep(0.02)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("page")) as client:
        yield client


def call(client, name, **arguments):
    """The kind of the last event, and its data."""
    path = f"/gradio_api/call/v2/{name}"
    event = client.post(path, json=arguments).raise_for_status().json()["event_id"]
    lines = client.get(f"{path}/{event}").text.splitlines()
    kinds = [line[7:] for line in lines if line.startswith("event: ")]
    data = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    return kinds[-1], data[-1]


def value(client, name, **arguments):
    kind, data = call(client, name, **arguments)
    assert kind == "complete", data
    return data[0]


def failure(client, name, **arguments):
    kind, data = call(client, name, **arguments)
    assert kind == "error"
    return data["error"]


def test_list_gives_the_papers_as_the_command_does_and_in_parts(client):
    papers = value(client, "list")
    assert [p["paper_id"] for p in papers] == [p.paper_id for p in PAPERS]
    assert papers[0]["year"] == 2021
    assert value(client, "list", first=1, count=1) == papers[1:2]


def test_search_gives_the_best_papers_with_their_sentences(client):
    hits = value(client, "search", words="low-rank matrices. directions.", count=1)
    assert len(hits) == 1
    assert set(hits[0]) == {"paper_id", "source_ids", "score", "title", "sentences"}


def test_ask_gives_the_turn_of_the_contract(client):
    turn = value(client, "ask", question=QUESTION)
    assert turn["answer"].endswith("[2]")
    assert turn["citations"][0]["quote"] in PAPERS[0].text
    assert {"sentences", "nearest", "timings", "abstained"} <= set(turn)


def test_compare_gives_a_table_with_a_row_for_each_paper(client):
    table = value(client, "compare", paper_ids=["lora", "bert"])["table"]
    assert [row["paper_id"] for row in table["rows"]] == ["lora", "bert"]


def test_the_same_functions_answer_a_single_post(client):
    posted = client.post("/gradio_api/run/list", json={"data": [0, 1]})
    assert posted.json()["data"][0][0]["paper_id"] == "lora"


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("ask", {"question": "  "}, "Ask a question"),
        ("search", {"words": ""}, "words to search for"),
        ("compare", {"paper_ids": ["lora", "lora"]}, "different papers"),
        ("compare", {"paper_ids": [str(n) for n in range(13)]}, "2 to 12"),
    ],
)
def test_wrong_arguments_are_answered_with_what_to_do(client, name, arguments, says):
    assert says in failure(client, name, **arguments)


def test_only_these_functions_are_offered_and_each_is_described(client):
    endpoints = client.get("/gradio_api/info").json()["named_endpoints"]
    assert sorted(endpoints) == ["/ask", "/compare", "/list", "/search"]
    for described in endpoints.values():
        assert described["description"]
        for parameter in described["parameters"]:
            assert parameter["type"].get("type"), parameter


def test_what_programs_get_carries_the_headers_of_the_page(client):
    headers = client.post("/gradio_api/run/list", json={"data": [0, 1]}).headers
    assert "script-src-attr 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_a_foreign_page_or_name_gets_nothing(client):
    body = {"data": [QUESTION, "", "", 0, 9999]}
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        assert client.post("/gradio_api/run/ask", json=body, headers=headers).status_code == 403


def test_a_model_that_is_missing_is_told_as_on_the_page(tmp_path):
    def missing(library):
        raise ModelMissing("Run `citewell models pull`.")

    with served(tmp_path, open_chat=missing) as client:
        assert "models pull" in failure(client, "ask", question=QUESTION)
        assert len(value(client, "list")) == len(PAPERS)


def test_with_a_login_programs_must_log_in_too_and_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "PER_SECOND", 0.0)
    with served(tmp_path, login=("me", "secret")) as client:
        paths = ("run/list", "call/list", "call/v2/list", "queue/join", "upload")
        for path in paths:
            refused = client.post(f"/gradio_api/{path}", json={"data": [0, 1]})
            assert refused.status_code == 401, path
        assert client.get("/gradio_api/info").status_code == 401
        entered = client.post("/login", data={"username": "me", "password": "secret"})
        assert entered.status_code == 200
        assert len(value(client, "list")) == len(PAPERS)
        codes = [
            client.post("/login", data={"username": "me"}).status_code for _ in range(limits.BURST)
        ]
        assert codes[-1] == 429


def test_an_upload_larger_than_the_limit_is_refused_before_it_is_sent(client):
    connection = HTTPConnection(client.base_url.host, client.base_url.port, timeout=60)
    connection.putrequest("POST", "/gradio_api/upload")
    connection.putheader("content-type", "multipart/form-data; boundary=x")
    connection.putheader("content-length", str(300 * 2**20))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize("way", ["file={}", "file=../../../../../../..{}", "file=%2e%2e/..{}"])
def test_no_file_of_this_machine_can_be_fetched(client, tmp_path, way):
    secret = tmp_path / "record.sqlite3"
    secret.write_text("SQLite format 3")
    for path in (str(secret), "/etc/passwd"):
        got = client.get(f"/gradio_api/{way.format(path)}")
        assert got.status_code in (400, 403, 404)
        assert "SQLite" not in got.text
        assert "root:" not in got.text


def test_mcp_offers_the_same_functions_and_their_errors(tmp_path):
    pytest.importorskip("mcp", reason="needs the extra: pip install 'citewell[mcp]'")
    import asyncio

    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def consult(address):
        async with (
            streamable_http_client(f"{address}/gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = (await session.list_tools()).tools
            good = await session.call_tool("ask", {"question": QUESTION})
            bad = await session.call_tool("compare", {"paper_ids": ["lora"]})
            return tools, good, bad

    with served(tmp_path, mcp=True) as client:
        tools, good, bad = asyncio.run(consult(str(client.base_url).rstrip("/")))
    assert sorted(tool.name for tool in tools) == ["ask", "compare", "list_papers", "search"]
    for tool in tools:
        assert all(p["description"] for p in tool.inputSchema["properties"].values())
    assert "low-rank matrices" in good.content[0].text
    assert bad.isError
    assert "2 to 12" in bad.content[0].text
