"""The figures of ``scripts/bench trainer``, by hand; and that every one that it names is measured."""

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "scripts" / "trainer_peers"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("trainer_bench", FOLDER / "bench.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def work(bench):
    return bench.Work(prompts=2, samples=4, tokens=10, steps=2, threads=1, device="cpu")


MODEL = {"parameters": 1000, "weight_bytes": 4000, "cache_bytes_per_token": 5}
LIMITS = {"bytes_per_second": 1e5, "flops_per_second": 1e6}


def metrics(so_far, **changes):
    figures = {"num_tokens": so_far, "time/generate": 2.0, "time/backward": 3.0, "time/logprob": 1.0,
               "time/reward": 0.1, "step_time": 7.0, "num_trained": 8.0}  # fmt: skip
    return figures | changes


def report(seconds, peak, cpu=None, **more):
    return {"seconds": seconds, "cpu_seconds": cpu or seconds, "tokens": 80, "peak_bytes": peak, **more}


@pytest.fixture
def found():
    # Three steps of 8 rows, each of 20 prompt and 10 written tokens.
    ours = [report(4, 600, metrics=metrics(480)), report(6, 700, metrics=metrics(720))]
    return {
        "steps": {
            "ours": ours,
            "trl": [report(20, 2000), report(20, 1500)],
            "trl_by_group": [report(40, 1400, 30)] * 2,
        },
        "model": MODEL,
        "limits": LIMITS,
    }


def test_of_trls_two_settings_the_better_counts_for_each_figure(bench, work, found):
    figures = bench.figures(work, found)
    assert figures["tokens_per_second"] == 16
    assert figures["tokens_per_second_to_trl_ratio"] == pytest.approx(4.0)
    assert figures["tokens_per_cpu_second_to_trl_ratio"] == pytest.approx(4.0)
    assert figures["peak_memory_to_trl_ratio"] == 0.5
    assert figures["reward_wait_fraction"] == pytest.approx(0.2 / 14)
    assert set(bench.KEYS) <= set(figures)


def test_decoding_is_measured_against_reading_weights_and_cache_once_a_token(bench, work, found):
    # 8 rows hold 20 + 10 / 2 tokens of 5 bytes on average.
    least = 10 * (4000 + 8 * 25 * 5) / 1e5
    assert bench.figures(work, found)["decode_to_bandwidth_limit_ratio"] == pytest.approx(least / 2.0)


def test_a_prompt_is_learnt_from_once_for_its_samples_and_rows_that_teach_nothing_go_forwards_only(bench, work, found):
    tokens = 2 * 20 + 8 * 10
    assert bench.figures(work, found)["train_mfu"] == pytest.approx(tokens * 1000 * 6 / 4.0 / 1e6)
    for one in found["steps"]["ours"]:
        one["metrics"]["num_trained"] = 0.0
    assert bench.figures(work, found)["train_mfu"] == pytest.approx(tokens * 1000 * 2 / 4.0 / 1e6)


def test_the_table_has_a_row_for_each_figure(bench, work, found):
    report = {**bench.figures(work, found), "model": "tiny", "device": "cpu", "trl": "trl==1", "prompts": 2, "samples": 4,
              "tokens": 10, "steps": 2, "threads": 1, "load_average_before": 0.0, "load_average": 1.0}  # fmt: skip
    shown = bench.table(report)
    assert all(f"| `{name}` |" in shown for name in bench.KEYS)


def test_both_trainers_are_told_the_same_work(bench, work):
    ours, trl = work.options(Path("m"), work.rows), work.options(Path("m"), work.samples)
    assert [one for one, two in zip(ours, trl, strict=True) if one != two] == ["8"], "but for rows at once"
    assert ours[ours.index("--steps") + 1] == "3", "one more, which warms up"


def test_a_stand_in_has_the_shape_that_it_stands_for(bench, tmp_path):
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    folder = bench.stand_in(tmp_path / "model", vocab_size=120, hidden_size=32, intermediate_size=48,
                            num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)  # fmt: skip
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    assert model.config.vocab_size == 120
    assert len(tokenizer) <= 120
    assert tokenizer.chat_template
