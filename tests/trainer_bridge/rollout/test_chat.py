"""Messages to tokens and back: nothing is tokenised twice, whatever the template does."""

import json
import string
from contextlib import suppress

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from hub_client.transport.chat_endpoint import ContextOverflowError
from trainer_bridge.rollout import chat
from trainer_bridge.rollout.chat import (
    ChatModel,
    ChatTemplate,
    Conversations,
    ModelCall,
    TokenLimits,
    UnfitMessagesError,
    as_message,
)
from trainer_bridge.rollout.decoding.requests import Generated, GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling

ASKED = [{"role": "user", "content": "2 + 2?"}]
SAID = {"role": "assistant", "content": "4"}
NEXT = {"role": "user", "content": "sure?"}


def known(most=8, tools=()):
    conversations = Conversations(most)
    call = ModelCall(GenerationRequest((1,), 4, Sampling(), seed=0), Generated((2,), (-0.5,), truncated=False), SAID)
    conversations.remember(ASKED, tools, call)
    return conversations, call


def test_a_conversation_that_goes_on_finds_the_call_before_it():
    conversations, call = known()
    assert conversations.find([*ASKED, SAID, NEXT], ()) == (call, 2)
    assert conversations.find([*ASKED, {**SAID, "tool_calls": None}, NEXT], ()) == (call, 2), "None is nothing"


def test_another_answer_another_question_other_tools_or_no_new_message_find_nothing():
    conversations, _ = known()
    nothing = (None, 0)
    assert conversations.find([*ASKED, {**SAID, "content": "5"}, NEXT], ()) == nothing
    assert conversations.find([{"role": "user", "content": "3 + 3?"}, SAID, NEXT], ()) == nothing
    assert conversations.find([*ASKED, {**SAID, "reasoning_content": "hm"}, NEXT], ()) == nothing
    assert conversations.find([{**ASKED[0], "name": "al"}, SAID, NEXT], ()) == nothing
    assert conversations.find([*ASKED, SAID, NEXT], [{"type": "function"}]) == nothing
    assert conversations.find([*ASKED, SAID], ()) == nothing
    assert conversations.find([], ()) == nothing


def test_the_oldest_is_forgotten():
    conversations, _ = known(most=1)
    other = [{"role": "user", "content": "other"}]
    conversations.remember(other, (), known()[1])
    assert conversations.find([*ASKED, SAID, NEXT], ()) == (None, 0)
    assert conversations.find([*other, SAID, NEXT], ())[1] == 2


MARKS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]

SMOLLM2 = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}"
    "{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
# As Qwen3's: tools in the system message, results of tools as the user's, and older turns lose their reasoning.
QWEN3 = """{%- if tools %}{{- '<|im_start|>system\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}{{- "# Tools\\n<tools>" }}{%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}{{- "\\n</tools><|im_end|>\\n" }}{%- elif messages[0].role == 'system' %}{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}{%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}{%- set ns.multi_step_tool = false %}{%- set ns.last_query_index = index %}{%- endif %}{%- endfor %}
{%- for message in messages %}{%- set content = message.content if message.content is string else '' %}
{%- if (message.role == "user") or (message.role == "system" and not loop.first) %}{{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
{%- elif message.role == "assistant" %}{%- set reasoning_content = '' %}{%- if '</think>' in content %}{%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}{%- set content = content.split('</think>')[-1].lstrip('\\n') %}{%- endif %}
{%- if loop.index0 > ns.last_query_index and (loop.last or reasoning_content) %}{{- '<|im_start|>assistant\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}{%- else %}{{- '<|im_start|>assistant\\n' + content }}{%- endif %}
{%- if message.tool_calls %}{%- for tool_call in message.tool_calls %}{%- if (loop.first and content) or (not loop.first) %}{{- '\\n' }}{%- endif %}{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}{{- '<tool_call>\\n{"name": "' + tool_call.name + '", "arguments": ' }}{{- tool_call.arguments | tojson }}{{- '}\\n</tool_call>' }}{%- endfor %}{%- endif %}{{- '<|im_end|>\\n' }}
{%- elif message.role == "tool" %}{%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}{{- '<|im_start|>user' }}{%- endif %}{{- '\\n<tool_response>\\n' + content + '\\n</tool_response>' }}{%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}{{- '<|im_end|>\\n' }}{%- endif %}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
# As Gemma's: roles must alternate, and the end of a turn is no end of text.
GEMMA = (
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{{ '<|im_start|>' + ('model' if message['role'] == 'assistant' else message['role']) + '\n' + message['content'] | trim + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{'<|im_start|>model\n'}}{% endif %}"
)
TEMPLATES = {"smollm2": SMOLLM2, "qwen3": QWEN3, "gemma": GEMMA}
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}


def make(name):
    """A tokenizer of characters and a few merged words, so that text can be tokenised in more ways than one."""
    words = ["he", "ll", "hello", "\n\n", "assistant", "user", "think"]
    table = {token: number for number, token in enumerate([*MARKS, *string.printable, "\u2063", *words, "?unknown"])}
    tokenizer = Tokenizer(models.WordLevel(table, unk_token="?unknown"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("hello|assistant|user|think|\n\n|[\\s\\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens(MARKS)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", chat_template=TEMPLATES[name])
    return ChatTemplate(fast, (1, 2)), fast


def said(fast, text):
    return [*fast(text, add_special_tokens=False)["input_ids"], 1]


@pytest.mark.parametrize("name", TEMPLATES)
def test_appending_gives_the_tokens_of_the_whole_conversation_rendered_at_once(name):
    template, fast = make(name)
    messages = [{"role": "user", "content": "hello"}]
    tokens = template.begin(messages)
    for turn in range(3):
        written = said(fast, f"hello {turn}")
        new = [{"role": "user", "content": f"go on\n\n{turn}"}]
        tokens = (*tokens, *written, *template.go_on(written, new))
        messages += [{"role": "assistant", "content": f"hello {turn}"}, *new]
        assert fast.decode(tokens) == fast.decode(template.begin(messages))
        assert tokens == template.begin(messages)


@pytest.mark.parametrize("name", TEMPLATES)
def test_an_answer_that_was_cut_off_is_ended_and_one_with_another_end_token_is_not_ended_twice(name):
    template, fast = make(name)
    new = [{"role": "user", "content": "go on"}]
    cut, whole = said(fast, "hello")[:-1], said(fast, "hello")
    assert template.go_on(cut, new) == (1, *template.go_on(whole, new))
    assert template.go_on([*cut, 2], new) == template.go_on(whole, new)


def test_reasoning_that_the_template_would_drop_from_older_turns_stays_where_it_was_written():
    template, fast = make("qwen3")
    messages = [{"role": "user", "content": "hello"}]
    written = said(fast, "<think>\nhm\n</think>\n\nhello")
    new = [{"role": "user", "content": "go on"}]
    appended = (*template.begin(messages), *written, *template.go_on(written, new))
    assert "hm" in fast.decode(appended)
    answer = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nhello"}
    assert "hm" not in fast.decode(template.begin([*messages, answer, *new])), "the template alone drops it"


def test_results_of_tools_are_appended():
    template, fast = make("qwen3")
    messages = [{"role": "user", "content": "hello"}]
    text = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    results = [{"role": "tool", "content": "2"}, {"role": "tool", "content": "3"}]
    tokens = template.begin(messages, [TOOL])
    tokens = (*tokens, *said(fast, text), *template.go_on(said(fast, text), results))
    answer = {"role": "assistant", "content": "", "tool_calls": [call]}
    # The template renders a call whose reasoning is empty just so; and the arguments are JSON once, not twice.
    assert fast.decode(tokens) == fast.decode(template.begin([*messages, answer, *results], [TOOL]))


def test_a_template_that_knows_no_tools_tells_them_all_the_same():
    template, fast = make("smollm2")
    text = fast.decode(template.begin([{"role": "user", "content": "hello"}], [TOOL]))
    assert '"name": "add"' in text
    assert "<tool_call>" in text
    known = fast.decode(make("qwen3")[0].begin([{"role": "user", "content": "hello"}], [TOOL]))
    assert known.count('"name": "add"') == 1


def test_where_an_answer_does_not_end_with_an_end_token_nothing_can_be_appended():
    _, fast = make("smollm2")
    fast.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
    assert ChatTemplate(fast, (1,)).go_on([5, 1], [{"role": "user", "content": "go on"}]) is None


def test_a_template_that_refuses_the_new_messages_leaves_them_to_a_sequence_of_their_own():
    template, fast = make("gemma")
    assert template.go_on(said(fast, "hello"), [{"role": "assistant", "content": "me again"}]) is None


def call_of(arguments):
    return {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": arguments}}]}


ODD = {
    "nothing": [],
    "content of another shape": [{"role": "user", "content": [1, {"type": "image"}]}],
    "arguments that are no object": [*ASKED, call_of(7)],
    "deep arguments": [*ASKED, call_of("[" * 5000 + "]" * 5000)],
    "parsed arguments that are deep": [*ASKED, call_of("[" * 900 + "]" * 900)],
    "half a surrogate pair": [{"role": "user", "content": "\ud800"}],
    "a system message alone": [{"role": "system"}],
    "a system message twice": [{"role": "system", "content": None}, {"role": "system"}],
}


@pytest.mark.parametrize("messages", ODD.values(), ids=ODD)
@pytest.mark.parametrize("name", TEMPLATES)
def test_whatever_a_harness_asks_with_is_tokens_or_a_refusal(name, messages):
    """Anything else would end the run of whoever trains with that harness or session."""
    template, _ = make(name)
    for tools in ((), [TOOL]):
        with suppress(UnfitMessagesError):
            assert template.begin(messages, tools)
    with suppress(UnfitMessagesError):
        template.go_on([5, 1], messages)


def test_no_message_is_nothing_to_answer_and_a_system_message_needs_no_content():
    template, fast = make("smollm2")
    with pytest.raises(UnfitMessagesError, match="no message"):
        template.begin([])
    assert "You may call functions" in fast.decode(template.begin([{"role": "system"}], [TOOL]))


TAGGED = 'So: <tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        TAGGED,
        '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>',
        '{"name": "add", "parameters": {"a": 1}}',
        '<|python_tag|>{"name": "add", "parameters": {"a": 1}}',
    ],
)
def test_calls_are_read_in_the_forms_that_models_write(text):
    (call,) = as_message(text, has_tools=True)["tool_calls"]
    assert call["function"]["name"] == "add"
    assert json.loads(call["function"]["arguments"]) == {"a": 1}


def test_words_beside_a_call_stay():
    assert as_message(TAGGED, has_tools=True)["content"] == "So:"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  2 \n",
        '{"a": 1}',
        "<tool_call>{broken</tool_call>",
        '<tool_call>{"x": 1}</tool_call>',
        '{"name": "f", "arguments": ' + "[" * 5000 + "]" * 5000 + "}",
        '<tool_call>{"name": "f", "arguments": ' + "[" * 5000 + "]" * 5000 + "}</tool_call>",
        "\n" * 200_000 + "x",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_call_is_the_answer_as_it_stands(text):
    assert as_message(text, has_tools=True) == {"role": "assistant", "content": text}


def test_without_tools_nothing_is_taken_for_a_call():
    assert as_message(TAGGED, has_tools=False) == {"role": "assistant", "content": TAGGED}


ASKED = [{"role": "user", "content": "hi"}]
NEXT = {"role": "user", "content": "and?"}


def ask(model, known, messages, limits, tools=()):
    return model.request_for(known, messages, tools, sampling=Sampling(), limits=limits, seed=0)


def test_what_was_written_is_not_tokenised_again(tiny):
    model, known = ChatModel(tiny, "tiny"), Conversations()
    first = ask(model, known, ASKED, TokenLimits(8))
    pad = tiny.tokenizer.pad_token_id  # a token that its text does not give back
    written = Generated((10, pad, 11, tiny.tokenizer.eos_token_id), (-1.0,) * 4, truncated=False)
    call = model.call(first, written, has_tools=False)
    known.remember(ASKED, (), call)
    second = ask(model, known, [*ASKED, call.message, NEXT], TokenLimits(8))
    assert second.prompt[: len(first.prompt) + 4] == (*first.prompt, *written.tokens)
    assert second.after is first
    changed = ask(model, known, [*ASKED, {**call.message, "content": "edited"}, NEXT], TokenLimits(8))
    assert changed.after is None
    assert pad not in changed.prompt


def test_the_limits_of_a_conversation_and_of_the_model_hold(tiny):
    model, known = ChatModel(tiny, "tiny"), Conversations()
    prompt = len(ask(model, known, ASKED, TokenLimits(8)).prompt)
    assert ask(model, known, ASKED, TokenLimits(8, sequence=prompt + 3)).limit == 3
    with pytest.raises(ContextOverflowError, match=f"context of {prompt}"):
        ask(model, known, ASKED, TokenLimits(8, sequence=prompt))
    room = tiny.model.config.max_position_embeddings
    assert ask(model, known, ASKED, TokenLimits(10 * room)).limit == room - prompt
    with pytest.raises(ContextOverflowError, match=f"context of {room}"):
        ask(model, known, [{"role": "user", "content": "x" * room}], TokenLimits(8))


def test_samples_of_one_prompt_are_tokenised_once_and_a_refusal_is_none(tiny):
    class Counting:
        calls = 0

        def __getattr__(self, name):
            return getattr(tiny.tokenizer, name)

        def __call__(self, text, **given):
            self.calls += 1
            if "!" in text:
                raise ValueError("no")
            return tiny.tokenizer(text, **given)

    counting = Counting()
    template = ChatTemplate(counting, tiny.eos_ids)
    asked = [{"role": "user", "content": "how many?"}]
    assert {template.begin(asked) for _ in range(8)} == {ChatTemplate(tiny.tokenizer, tiny.eos_ids).begin(asked)}
    assert counting.calls == 1
    for _ in range(2):
        with pytest.raises(UnfitMessagesError):
            template.begin([{"role": "user", "content": "no!"}])
    assert counting.calls == 3, "what failed is asked again"


def test_long_texts_are_not_kept_beyond_a_number_of_tokens(tiny, monkeypatch):
    monkeypatch.setattr(chat, "_KNOWN_TOKENS", 40)
    template = ChatTemplate(tiny.tokenizer, tiny.eos_ids)
    for length in (5, 10, 15, 200):
        asked = [{"role": "user", "content": "x " * length}]
        assert template.begin(asked) == template.begin(asked)
        assert template._known.currsize <= 40
    assert template._known.currsize > 0
