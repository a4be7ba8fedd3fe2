"""A model's own chat template, split into the parts around the content."""

import pytest

from rag.errors import ModelUnfit
from rag.llm.template import ChatTemplate, parse_template

CHATML = """{% for message in messages %}
{%- if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system
You are a helpful assistant.<|im_end|>
' }}{% endif %}{{'<|im_start|>' + message['role'] + '
' + message['content'] + '<|im_end|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}"""

QWEN = """{%- if tools %}
    {{- '<|im_start|>system\\n# Tools\\n' }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

GEMMA = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}
{%- endif %}{% for message in messages %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Conversation roles must alternate') }}
{%- endif %}{{ '<start_of_turn>' + message['role'] + '
' + message['content'] | trim + '<end_of_turn>
' }}{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model
'}}{% endif %}"""

THINKING = CHATML + (
    "{% if enable_thinking is defined and enable_thinking is false %}"
    "{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}"
)

CHATML_PARTS = ChatTemplate(
    head="<|im_start|>system\n",
    after_system="<|im_end|>\n<|im_start|>user\n",
    between="\n\n",
    tail="<|im_end|>\n<|im_start|>assistant\n",
)


def parsed(source):
    return parse_template(source, bos="<bos>", eos="<eos>")


@pytest.mark.parametrize("source", [CHATML, QWEN], ids=["plain", "qwen"])
def test_chatml_is_split_around_system_document_and_task(source):
    assert parsed(source) == CHATML_PARTS


def test_a_template_without_a_system_role_gets_the_system_text_in_the_users_turn():
    assert parsed(GEMMA) == ChatTemplate(
        head="<bos><start_of_turn>user\n",
        after_system="\n\n",
        between="\n\n",
        tail="<end_of_turn>\n<start_of_turn>model\n",
    )


def test_a_reasoning_template_is_told_not_to_think():
    assert parsed(THINKING).tail == CHATML_PARTS.tail + "<think>\n\n</think>\n\n"


def test_a_template_that_ignores_the_system_role_gets_it_in_the_users_turn():
    ignoring = "{% for m in messages if m.role == 'user' %}[INST]{{ m.content }}[/INST]{% endfor %}"
    assert parsed(ignoring) == ChatTemplate("[INST]", "\n\n", "\n\n", "[/INST]")


@pytest.mark.parametrize(
    "source",
    [
        "{{ raise_exception('no') }}",
        "{% for m in messages %}{{ m.content }}",
        "{{ messages[0].content.nothing.at_all }}",
        "Just text that leaves out the messages.",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.clear() }}",
    ],
    ids=["raises", "unfinished", "undefined", "drops", "reaches out", "changes its input"],
)
def test_a_template_that_cannot_hold_a_question_is_refused_with_what_to_do(source):
    with pytest.raises(ModelUnfit, match="citewell models list"):
        parsed(source)


@pytest.mark.parametrize("source", [None, ""])
def test_a_file_without_a_template_is_no_chat_model(source):
    with pytest.raises(ModelUnfit, match="not a chat model"):
        parsed(source)
