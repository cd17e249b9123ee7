import json
from types import SimpleNamespace

import pytest

from hub_client.adapters.trl import TASK_COLUMN, dataset_rows, reward_functions, reward_weights, values_for_trl
from hub_client.errors import UsageError
from hub_client.run_report import RunReport
from tests.fakes.runs import FakeRuns
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER


def batch(env, *completions):
    """What TRL hands to every reward function."""
    rows = dataset_rows(env, "train")
    columns = {name: [rows[0][name]] * len(completions) for name in rows[0]}
    return {
        "prompts": columns.pop("prompt"),
        "completions": list(completions),
        "completion_ids": [[1]] * len(completions),
        "trainer_state": object(),
        "log_metric": print,
        **columns,
    }


def test_each_reward_has_its_function_under_its_name(env) -> None:
    functions = reward_functions(env)
    assert [function.__name__ for function in functions] == ["correct", "short", "words"]
    given = batch(env, "2", "a b c")
    assert [function(**given) for function in functions] == [[1.0, 0.0], [1.0, 1.0], [1.0, 3.0]]


def test_a_batch_is_judged_once_for_all_its_functions(env, judged) -> None:
    functions = reward_functions(env)
    for function in functions:
        function(**batch(env, "2", "3"))
    assert sorted(judged) == ["2", "3"]
    functions[0](**batch(env, "2", "4"))
    assert len(judged) == 4


def test_what_could_not_be_judged_is_none(env) -> None:
    assert [function(**batch(env, "loop", "2"))[0] for function in reward_functions(env)] == [None, None, None]


@pytest.mark.parametrize(
    ("missing", "left_out"),
    [("correct", True), ("short", True), ("words", False)],
    ids=["a score", "another score", "a metric: it adds nothing to the sum"],
)
def test_a_completion_with_a_missing_score_is_left_out_whole(env, missing: str, left_out: bool) -> None:
    values = {"correct": 1.0, "short": 1.0, "words": 3.0, missing: None}
    assert values_for_trl(env, values) == (dict.fromkeys(values) if left_out else values)


def test_conversations_are_judged_by_their_only_message(env, judged) -> None:
    reward_functions(env)[0](**batch(env, [{"role": "assistant", "content": "2"}]))
    assert judged == ["2"]


def test_rows_carry_messages_for_the_model_and_the_task_for_the_verifier(env) -> None:
    rows = dataset_rows(env, "train", limit=1)
    assert rows[0]["prompt"] == [{"role": "user", "content": "1+1?"}]
    assert json.loads(rows[0][TASK_COLUMN])["answer"] == 2
    assert "2" not in rows[0]["prompt"][0]["content"]


def test_weights_are_those_that_were_declared(env) -> None:
    assert reward_weights(env) == [1.0, 0.5, 0.0]


def test_a_dataset_of_somebody_else_is_explained(env) -> None:
    with pytest.raises(UsageError, match="dataset_rows"):
        reward_functions(env)[0](completions=["2"], prompts=["?"])


class TestWithTrl:
    """TRL's own trainer on a tiny random model, where TRL is installed (scripts/test_adapters trl)."""

    @pytest.fixture
    def tokenizer(self):
        tokenizers = pytest.importorskip("tokenizers")
        transformers = pytest.importorskip("transformers")
        words = ["<pad>", "<eos>", "<unk>", *"0123456789", "loop", "+", "?"]
        made = tokenizers.Tokenizer(tokenizers.models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
        made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        return transformers.PreTrainedTokenizerFast(
            tokenizer_object=made,
            pad_token="<pad>",
            eos_token="<eos>",
            unk_token="<unk>",
            chat_template="{% for message in messages %}{{ message['content'] }}{% endfor %}",
        )

    def test_a_step_of_grpo_logs_every_reward_under_its_name(self, env, judged, tokenizer, tmp_path) -> None:
        trainer = make_trainer(env, tokenizer, tmp_path, max_steps=1)
        trainer.train()
        logged = trainer.state.log_history[0]
        assert {"rewards/correct/mean", "rewards/short/mean", "rewards/words/mean"} <= logged.keys()
        assert len(judged) == 4

    def test_a_run_is_reported_as_trl_logs_it_and_its_evaluation_apart(self, env, tokenizer, tmp_path) -> None:
        pytest.importorskip("trl", reason="an optional dependency: trl")
        from hub_client.adapters.trl_callback import RunCallback  # noqa: PLC0415 -- needs transformers

        runs = FakeRuns()
        with RunReport(SimpleNamespace(runs=runs), "trl", env, folder=tmp_path / "report") as report:
            trainer = make_trainer(
                env, tokenizer, tmp_path, report=report, callbacks=[RunCallback(report)], max_steps=2, eval_steps=1
            )
            trainer.train()
        points = {point.step: point.values for point in runs.points}
        for entry in trainer.state.log_history:
            if "rewards/correct/mean" in entry:
                assert points[entry["step"]]["rewards/correct/mean"] == pytest.approx(entry["rewards/correct/mean"])
        phases = [(row.phase, row.step) for row in runs.rows]
        assert phases.count(("train", 1)) == phases.count(("train", 2)) == 4
        assert {phase for phase, _ in phases} == {"train", "eval"}


def make_trainer(env, tokenizer, folder, *, report=None, callbacks=(), eval_steps=None, **settings):
    """TRL's GRPO trainer on a random model of one layer."""
    trl = pytest.importorskip("trl", reason="an optional dependency: trl")
    datasets = pytest.importorskip("datasets", reason="an optional dependency: datasets")
    transformers = pytest.importorskip("transformers", reason="an optional dependency: transformers")
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    rows = datasets.Dataset.from_list(dataset_rows(env, "train"))
    evaluation = (
        {"eval_strategy": "steps", "eval_steps": eval_steps, "per_device_eval_batch_size": 4} if eval_steps else {}
    )
    return trl.GRPOTrainer(
        model=transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=len(tokenizer), **small)),
        processing_class=tokenizer,
        reward_funcs=reward_functions(env, report=report),
        callbacks=list(callbacks),
        train_dataset=rows,
        eval_dataset=rows if eval_steps else None,
        args=trl.GRPOConfig(
            output_dir=str(folder),
            reward_weights=reward_weights(env),
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=2,
            logging_steps=1,
            report_to=[],
            use_cpu=True,
            bf16=False,
            **evaluation,
            **settings,
        ),
    )


def test_a_session_is_not_judged_by_a_text_that_nothing_was_played_for(make_env) -> None:
    with pytest.raises(UsageError, match="trl_sessions"):
        dataset_rows(make_env(WITH_VERIFIER), "train", limit=1)
