"""Conversations to imitate: what a file must hold, and that they become the tokens that the policy itself would write."""

import json

import pytest

from trainer_bridge.errors import EnvironmentUnfitError, SettingsError
from trainer_bridge.loop import train
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.rollout.chat import ChatModel, as_message, as_written
from trainer_bridge.rollout.demonstrations import Demonstration, Shuffled, as_sequences, digest_of, read_demonstrations

GAME = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": "ab"},
    {"role": "user", "content": "XY"},
    {"role": "assistant", "content": "cd"},
]


def written(path, *rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_all_turns_are_one_sequence_in_which_the_assistants_words_and_their_ends_alone_are_learnt(tiny):
    (sequence,) = as_sequences(Demonstration(GAME), ChatModel(tiny, "tiny"), tiny.eos_ids[0])
    marked = [token for token, call in zip(sequence.tokens, sequence.call, strict=True) if call >= 0]
    assert tiny.tokenizer.decode(marked) == "ab<|end|>cd<|end|>"
    whole = tiny.tokenizer.apply_chat_template(GAME, tokenize=True)["input_ids"]
    assert [*sequence.prompt, *sequence.tokens] == list(whole)


def test_a_conversation_whose_earlier_turns_were_rewritten_is_no_continuation_yet_every_answer_is_learnt(tiny):
    opened = [{"role": "assistant", "content": "Hello."}, *GAME]
    (sequence,) = as_sequences(Demonstration(opened), ChatModel(tiny, "tiny"), tiny.eos_ids[0])
    assert "Hello." in tiny.tokenizer.decode(sequence.prompt), "what stood before the first question is read"
    assert max(sequence.call) == 1


def test_tool_calls_are_written_as_they_are_read():
    call = {"id": "call-0", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    message = {"role": "assistant", "content": "Let me see.", "tool_calls": [call]}
    assert as_message(as_written(message), has_tools=True) == message


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "holds no conversation"),
        (["{"], "games.jsonl:1 must be"),
        ([{"messages": GAME}, {"text": "a"}], "games.jsonl:2 must be"),
        ([{"messages": GAME[:1]}], "games.jsonl:1 must be"),
        ([{"messages": []}], "games.jsonl:1 must be"),
        (["[1]"], "games.jsonl:1 must be"),
        (['"a"'], "games.jsonl:1 must be"),
        ([{"messages": [{"role": 1}, {"role": "assistant"}]}], "games.jsonl:1 must be"),
        ([{"messages": ["hello", "you"]}], "games.jsonl:1 must be"),
        ([{"messages": GAME, "tools": "calculator"}], "games.jsonl:1 must be"),
    ],
)
def test_a_file_without_conversations_is_refused_with_the_line(rows, said, tmp_path):
    with pytest.raises(SettingsError, match=said):
        read_demonstrations(written(tmp_path / "games.jsonl", *rows))


def test_a_line_separator_within_a_message_ends_no_line(tmp_path):
    spoken = [{"role": "user", "content": "a\u2028b"}, {"role": "assistant", "content": "c\u0085d"}]
    (tmp_path / "games.jsonl").write_text(json.dumps({"messages": spoken}, ensure_ascii=False), encoding="utf-8")
    assert read_demonstrations(tmp_path / "games.jsonl")[0].messages == spoken


def test_a_file_that_is_not_there_or_is_no_text_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        read_demonstrations(tmp_path / "games.jsonl")
    with pytest.raises(SettingsError, match="cannot be read"):
        digest_of(tmp_path)
    (tmp_path / "games.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="no UTF-8"):
        read_demonstrations(tmp_path / "games.jsonl")


def test_each_is_drawn_once_an_epoch_and_a_resumed_order_is_the_same():
    entries = list(range(7))
    stream = Shuffled(entries, seed=3)
    drawn = [one for size in (3, 5, 6) for one in stream.draw(size)]
    assert sorted(drawn[:7]) == sorted(drawn[7:]) == entries
    assert drawn[:7] != drawn[7:]
    assert Shuffled(entries, seed=3, drawn=3).draw(11) == drawn[3:]
    assert Shuffled(entries, seed=4).draw(7) != drawn[:7]


def test_a_warm_up_on_conversations_teaches_every_turn(fake_hub, make_settings, tmp_path):
    path = written(tmp_path / "games.jsonl", *({"messages": GAME, "reward": 1} for _ in range(4)))
    settings = make_settings(sft_steps=60, steps=0, eval_tasks=0, demonstrations=path)
    train(settings, hub=fake_hub())
    lines = [json.loads(line) for line in (settings.output / "warm_up.jsonl").read_text().splitlines()]
    assert lines[0]["warm_up/loss"] > 3
    assert lines[-1]["warm_up/loss"] < 0.1


def test_what_does_not_fit_is_left_out_and_said(fake_hub, make_settings, tmp_path):
    long = [*GAME[:3], {"role": "assistant", "content": "0123456789"}]
    path = written(tmp_path / "games.jsonl", {"messages": GAME}, {"messages": long})
    warned = []

    class Progress(NoProgress):
        def warn(self, text):
            warned.append(text)

    train(make_settings(sft_steps=1, steps=0, eval_tasks=0, demonstrations=path), hub=fake_hub(), progress=Progress())
    assert warned[0].startswith("1 of 2 demonstrations have an answer of more than 8 tokens")
    settings = make_settings(
        sft_steps=1, eval_tasks=0, demonstrations=path, max_completion_length=2, output=tmp_path / "other"
    )
    with pytest.raises(SettingsError, match="all of"):
        train(settings, hub=fake_hub())


def test_a_session_needs_conversations_since_its_answer_is_not_what_the_model_writes(
    fake_hub, fake_environment, make_settings
):
    environment = fake_environment()
    environment.manifest = environment.manifest.model_copy(update={"session": "test_digits:Session"})
    with pytest.raises(EnvironmentUnfitError, match=r"test/digits.*demonstrations"):
        train(make_settings(sft_steps=1, eval_tasks=0), hub=fake_hub(environment))


def test_a_run_goes_on_with_the_same_conversations_only(fake_hub, make_settings, tmp_path):
    path = written(tmp_path / "games.jsonl", {"messages": GAME})
    common = {"sft_steps": 2, "steps": 0, "eval_tasks": 0, "save_steps": 1, "demonstrations": path}
    train(make_settings(**common), hub=fake_hub())
    written(path, {"messages": [*GAME[:3], {"role": "assistant", "content": "other"}]})
    with pytest.raises(Exception, match="demonstrations"):
        train(make_settings(**common, resume=True), hub=fake_hub())
