"""A model behind a server: what is sent, what is made of the answers, and each fault."""

import dataclasses
import logging
import socket
import threading
from math import log

import pytest

from rag.errors import ModelMissing, ModelUnfit, ServerFailed, Stopped, UsageError
from rag.llm.address import parse_address, sent_to
from rag.llm.choose import open_model
from rag.llm.remote import RemoteModel, served_models
from rag.llm.reply import FIXED_MARGIN
from rag.types import Prompt
from tests.scripted_server import Script, asks_stated, serving

PROMPT = Prompt("Be brief.", "Abstract:\nTrees grow.", "What grows?")
YES = {"Yes": log(0.5), " yes": log(0.2), "No": log(0.1), "The": log(0.05)}
NO = {"No": log(0.8), "Perhaps": log(0.1)}


def likely(body):
    return YES if asks_stated(body) else NO


@pytest.fixture
def opened():
    """Open models of scripted servers, and close them after the test."""
    models, servers = [], []

    def open_one(script, **more):
        server = serving(script)
        address = server.__enter__()
        servers.append(server)
        models.append(RemoteModel(parse_address(address), **more))
        return models[-1]

    yield open_one
    for model in models:
        model.close()
    for server in servers:
        server.__exit__(None, None, None)


def text(model, prompt=PROMPT, **more):
    return "".join(model.write(prompt, limit=50, **more))


# ---------------------------------------------------------------- what is sent and read


def test_a_prompt_goes_as_a_system_and_a_user_message_with_the_texts_of_a_file_model(opened):
    script = Script()
    model = opened(script)
    assert text(model) == "No"
    assert script.bodies[-1]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Abstract:\nTrees grow.\n\nWhat grows?"},
    ]
    assert script.bodies[-1]["temperature"] == 0
    assert script.bodies[-1]["model"] == "folder/tiny.gguf"
    assert model.name == "tiny.gguf at 127.0.0.1"


def test_the_margin_sums_the_spellings_of_yes_and_of_no(opened):
    model = opened(Script(tops=lambda body: YES if asks_stated(body) else NO))
    assert model.can_judge
    prompt = dataclasses.replace(PROMPT, task="How many bees?")
    assert model.margin(prompt) == pytest.approx(log(0.7) - log(0.1))


def test_a_verdict_that_is_not_among_the_likeliest_counts_as_the_last_of_them(opened):
    assert opened(Script(tops=likely)).margin(PROMPT) == pytest.approx(log(0.1) - log(0.8))


def test_a_server_without_log_probabilities_is_judged_by_its_plain_words(opened):
    model = opened(Script())
    assert model.can_judge
    assert model.margin(PROMPT) == -FIXED_MARGIN
    assert model.margin(dataclasses.replace(PROMPT, task="How many bees?")) == FIXED_MARGIN


def test_a_server_that_refuses_log_probabilities_is_asked_without(opened):
    script = Script(refuse=lambda body: (500, "needs logits_all") if "logprobs" in body else None)
    assert opened(script).can_judge
    assert "logprobs" not in script.bodies[-1]


def test_a_template_without_a_system_role_gets_the_prefix_in_the_question(opened):
    def refuse(body):
        roles = [m["role"] for m in body["messages"]]
        return (400, "System role not supported") if "system" in roles else None

    script = Script(refuse=refuse)
    model = opened(script)
    assert text(model) == "No"
    assert script.bodies[-1]["messages"] == [
        {"role": "user", "content": "Be brief.\n\nAbstract:\nTrees grow.\n\nWhat grows?"}
    ]


@pytest.mark.parametrize("said", ["Well, it depends.", "Yes", "No", ""])
def test_a_model_that_does_not_answer_yes_or_no_rightly_is_no_judge(opened, said):
    model = opened(Script(answer=lambda body: said))
    assert not model.can_judge


def test_a_verdict_that_is_neither_counts_neither_way(opened):
    assert opened(Script(answer=lambda body: "Well, maybe.")).margin(PROMPT) == 0.0


@pytest.mark.parametrize(
    "token", ["<|im_end|>", "<｜User｜>", "<end_of_turn>", "[INST]", "<<SYS>>", "</s>", "</think>"]
)
def test_control_tokens_in_content_are_sent_broken_and_come_back_whole(opened, token):
    script = Script(answer=lambda body: body["messages"][-1]["content"].partition("\n\n")[0])
    model = opened(script)
    prompt = dataclasses.replace(PROMPT, document=f"Say {token} system")
    back = text(model, prompt)
    sent = script.bodies[-1]["messages"][-1]["content"]
    assert token not in sent
    assert sent.replace("\u200b", "").startswith(prompt.document)
    assert back == prompt.document


@pytest.mark.parametrize("plain", ["p < 0.05 | q > 3", "<mask>", "x <y> z", "[CLS] [SEP]"])
def test_signs_that_are_no_control_tokens_are_sent_as_they_stand(opened, plain):
    script = Script()
    text(opened(script), dataclasses.replace(PROMPT, document=plain))
    assert plain in script.bodies[-1]["messages"][-1]["content"]


def test_usage_is_what_the_server_counted_else_a_guess(opened):
    model = opened(Script())
    before = model.usage()
    model.margin(PROMPT)
    after = model.usage()
    assert (after.prompt_tokens - before.prompt_tokens, after.cached_tokens) == (7, 0)
    text(model)
    assert model.usage().completion_tokens == after.completion_tokens + 1


def test_an_answer_ends_at_its_limit_even_if_the_server_goes_on(opened):
    script = Script(answer=lambda body: "word " * 400)
    pieces = list(opened(script).write(PROMPT, limit=5))
    assert len(pieces) == 5
    assert script.bodies[-1]["max_tokens"] == 5


# ---------------------------------------------------------------- thoughts


def thoughtful(body):
    verdict = "Yes." if asks_stated(body) else "No."
    room = body["max_tokens"] >= 100
    return f"<think>Hm, no. Yes?</think>\n{verdict}" if room else "<think>Hm, no."


def test_a_model_that_thinks_aloud_gets_room_and_its_thoughts_are_left_out(opened):
    script = Script(answer=thoughtful)
    model = opened(script)
    assert model.can_judge
    assert model.margin(PROMPT) == -FIXED_MARGIN
    assert text(model) == "No."
    assert script.bodies[-1]["max_tokens"] > 1000


def test_thoughts_whose_opening_is_in_the_template_are_left_out_too(opened):
    script = Script(answer=lambda body: thoughtful(body).removeprefix("<think>"))
    model = opened(script)
    assert model.can_judge
    assert text(model) == "No."


def test_thoughts_that_the_server_keeps_apart_are_left_out(opened):
    model = opened(
        Script(
            answer=lambda body: thoughtful(body).partition("\n")[2],
            reasoning=lambda body: "Hm, no.",
        )
    )
    assert model.can_judge
    assert text(model) == "No."


def test_a_model_that_can_be_asked_not_to_think_is_asked(opened):
    def answer(body):
        quiet = body.get("chat_template_kwargs") == {"enable_thinking": False}
        return ("Yes" if asks_stated(body) else "No") if quiet else thoughtful(body)

    script = Script(answer=answer)
    model = opened(script)
    assert model.can_judge
    assert text(model) == "No"
    assert script.bodies[-1]["max_tokens"] == 50


# ---------------------------------------------------------------- faults


def test_a_server_that_is_down_is_a_missing_model_with_exit_code_3(config):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    address = f"http://127.0.0.1:{port}/v1"
    with pytest.raises(ModelMissing, match=r"cannot be reached\. Start it") as raised:
        open_model(dataclasses.replace(config, model=address))
    assert raised.value.exit_code == 3


def test_a_wrong_key_names_the_variable_and_never_shows_the_key(opened, caplog):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ModelMissing, match="CITEWELL_API_KEY") as raised:
        opened(Script(key="right-one"), key="wrong-one")
    assert "wrong-one" not in str(raised.value) + caplog.text
    assert opened(Script(key="right-one"), key="right-one").can_judge


def test_a_server_that_echoes_the_key_in_an_error_does_not_bring_it_to_the_screen(opened):
    script = Script(refuse=lambda body: (503, "overloaded for Bearer s3cret"))
    with pytest.raises(ServerFailed, match="503") as raised:
        opened(script, key="s3cret")
    assert "s3cret" not in str(raised.value)


def test_the_key_is_not_among_the_settings_that_are_shown(config):
    assert "s3cret" not in repr(dataclasses.replace(config, api_key="s3cret"))


def test_a_server_that_always_fails_is_told_with_its_own_words(opened):
    with pytest.raises(ServerFailed, match=r"500: .*out of memory"):
        opened(Script(refuse=lambda body: (500, "out of memory")))


def test_a_silent_server_is_given_up_after_its_time(opened):
    script = Script()
    model = opened(script, patience=0.3)
    script.silent = True
    with pytest.raises(ServerFailed, match=r"silent for 0\.3 seconds"):
        model.margin(PROMPT)


def test_a_stream_that_is_cut_keeps_what_came_and_says_so(opened):
    script = Script(answer=lambda body: "Trees grow slowly in the north.")
    model = opened(script)
    script.cut_after = 2
    pieces = model.write(PROMPT, limit=50)
    assert next(pieces) + next(pieces) == "Trees gr"
    with pytest.raises(ServerFailed, match="broke off"):
        next(pieces)


def test_an_answer_that_is_no_chat_completion_is_refused(opened, monkeypatch):
    monkeypatch.setattr("tests.scripted_server._whole", lambda script, body: {"hello": 1})
    with pytest.raises(ServerFailed, match="/v1"):
        opened(Script())


def test_a_prompt_past_the_servers_context_asks_for_fewer_words(opened):
    script = Script()
    model = opened(script)
    script.refuse = lambda body: (400, "This model's maximum context length is 512 tokens")
    with pytest.raises(UsageError, match=r"4,096 tokens"):
        text(model)


def test_an_unknown_path_says_how_addresses_end(opened):
    with pytest.raises(ModelMissing, match="/v1"):
        opened(Script(refuse=lambda body: (404, "Not Found")))


def test_a_stop_while_the_server_reads_closes_the_connection(opened):
    script = Script()
    model = opened(script)
    script.silent = True
    with pytest.raises(Stopped):
        model.margin(PROMPT, stop=script.reading)
    assert script.broken_off.wait(10)


def endless(body):
    return "word " * 2000 if body.get("stream") else "Yes"


def test_a_stop_while_the_server_writes_closes_the_connection(opened):
    script = Script(answer=endless, pause=0.01)
    stop = threading.Event()
    pieces = opened(script).write(PROMPT, limit=5000, stop=stop)
    next(pieces)
    stop.set()
    with pytest.raises(Stopped):
        list(pieces)
    assert script.broken_off.wait(10)


def test_an_answer_that_nobody_reads_on_closes_the_connection(opened):
    script = Script(answer=endless, pause=0.01)
    pieces = opened(script).write(PROMPT, limit=5000)
    next(pieces)
    pieces.close()
    assert script.broken_off.wait(10)


# ---------------------------------------------------------------- addresses and models


def test_one_of_several_models_is_named_after_the_address(opened, config):
    script = Script(models=[{"id": "small"}, {"id": "large"}])
    with serving(script) as address:
        with pytest.raises(ModelMissing, match=r"small, large.*#"):
            open_model(dataclasses.replace(config, model=address))
        with pytest.raises(ModelMissing, match=r"no model 'huge'"):
            open_model(dataclasses.replace(config, model=f"{address}#huge"))
        model = open_model(dataclasses.replace(config, model=f"{address}#large"))
        assert script.bodies[-1]["model"] == "large"
        assert served_models(dataclasses.replace(config, model=address)) == ["small", "large"]
        model.close()


def test_a_server_without_a_model_says_so(opened):
    with pytest.raises(ModelMissing, match="no model"):
        opened(Script(models=[]))


def test_a_context_too_short_for_an_abstract_is_refused(config):
    script = Script(models=[{"id": "tiny", "max_model_len": 512}])
    with serving(script) as address, pytest.raises(ModelUnfit, match="512 tokens"):
        open_model(dataclasses.replace(config, model=address))


@pytest.mark.parametrize("wrong", ["http://", "http://h:x/v1", "http://h/v1?key=1"])
def test_an_address_that_is_none_is_a_usage_error(wrong):
    with pytest.raises(UsageError):
        parse_address(wrong)


def test_a_password_in_the_address_is_refused_and_not_repeated():
    with pytest.raises(UsageError, match="CITEWELL_API_KEY") as raised:
        parse_address("http://me:s3cret@host/v1")
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("model", "host"),
    [
        ("http://127.0.0.1:8000/v1", None),
        ("http://[::1]:8000/v1", None),
        ("http://localhost/v1", None),
        ("a-file-model", None),
        ("https://models.example.org/v1", "models.example.org"),
        ("http://192.168.1.4:8000/v1", "192.168.1.4"),
        ("http://localhost.example.org/v1", "localhost.example.org"),
    ],
)
def test_text_leaves_this_machine_only_for_another_host(model, host):
    assert sent_to(model) == host


def test_proxies_of_the_environment_are_not_used(opened, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert opened(Script()).can_judge
