"""The figures of ``scripts/bench trainer``, by hand and by a clock that is set; one that cannot be is refused."""

import dataclasses
import importlib
import json
import sys
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from tests.making.altered_library import alter_library

FOLDER = Path(__file__).parents[2] / "scripts" / "trainer_peers"


MODULES = ("bench", "device_limits", "given", "ratios", "work")


@pytest.fixture(scope="module")
def scripts():
    """The scripts' modules by name. They find each other as they do where the folder's scripts are started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            del sys.modules[name]


@pytest.fixture
def bench(scripts):
    return scripts["bench"]


@pytest.fixture
def device_limits(scripts):
    return scripts["device_limits"]


@pytest.fixture
def shared(scripts):
    return scripts["work"]


@pytest.fixture
def work(bench):
    return bench.Work(prompts=2, samples=4, tokens=10, steps=2, threads=1, device="cpu")


MODEL = {"parameters": 1000, "weight_bytes": 4000, "cache_bytes_per_token": 5}
LIMITS = [
    {"bytes_per_second": 1e5, "flops_per_second": 1e6},
    {"bytes_per_second": 0.4e5, "flops_per_second": 0.5e6},
]
"""Two turns; other load met the second."""
CPU = {"collect": 1.5, "update": 3.0}


def metrics(so_far, **changes):
    figures = {"num_tokens": so_far, "time/generate": 2.0, "time/backward": 3.0, "time/logprob": 1.0,
               "time/reward": 0.1, "step_time": 7.0, "num_trained": 8.0}  # fmt: skip
    return figures | changes


def report(seconds, peak, cpu_seconds=None, **more):
    return {"seconds": seconds, "cpu_seconds": cpu_seconds or seconds, "tokens": 80, "peak_bytes": peak, **more}


@pytest.fixture
def found():
    ours = [report(4, 600, metrics=metrics(480), cpu=CPU), report(6, 700, metrics=metrics(720), cpu=CPU)]
    ours = [{**one, "prompt_tokens": 20.0} for one in ours]
    return {
        "steps": {
            "ours": ours,
            "trl": [report(20, 2000), report(20, 1500)],
            "trl_by_group": [report(40, 1400, 30)] * 2,
        },
        "model": MODEL,
        "limits": LIMITS,
    }


def test_of_trls_settings_the_fastest_counts_also_for_memory(bench, work, found):
    figures = bench.figures(work, found)
    assert figures["tokens_per_second"] == 16
    assert figures["tokens_per_second_to_trl_ratio"] == pytest.approx(4.0)
    assert figures["tokens_per_cpu_second_to_trl_ratio"] == pytest.approx(4.0)
    assert figures["trl_fastest"] == "trl"
    assert figures["peak_memory_to_trl_ratio"] == 0.35
    assert figures["peak_memory_to_smallest_trl_ratio"] == 0.5
    assert figures["reward_wait_fraction"] == pytest.approx(0.2 / 14)
    assert set(bench.KEYS) <= set(figures)


def test_decoding_is_measured_against_reading_weights_and_cache_once_a_token(bench, work, found):
    # 8 rows hold 20 + 10 / 2 tokens of 5 bytes on average. Of the turns' limits the best counts.
    least = 10 * (4000 + 8 * 25 * 5) / 1e5
    assert bench.figures(work, found)["decode_to_bandwidth_limit_ratio"] == pytest.approx(least / 1.5)


def test_a_prompt_is_learnt_from_once_for_its_samples_and_rows_that_teach_nothing_go_forwards_only(bench, work, found):
    tokens = 2 * 20 + 8 * 10
    assert bench.figures(work, found)["train_mfu"] == pytest.approx(tokens * 1000 * 6 / 3.0 / 1e6)
    for one in found["steps"]["ours"]:
        one["metrics"]["num_trained"] = 0.0
    assert bench.figures(work, found)["train_mfu"] == pytest.approx(tokens * 1000 * 2 / 3.0 / 1e6)


def test_one_thread_is_held_against_the_limits_by_its_cpu_time_and_several_by_wall_clock(bench, work, found):
    by_cpu = bench.figures(work, found)
    by_wall = bench.figures(dataclasses.replace(work, threads=2), found)
    assert (by_cpu["clock"], by_wall["clock"]) == ("cpu", "wall")
    assert by_wall["decode_to_bandwidth_limit_ratio"] == pytest.approx(
        by_cpu["decode_to_bandwidth_limit_ratio"] * 1.5 / 2.0
    )
    assert by_wall["train_mfu"] == pytest.approx(by_cpu["train_mfu"] * 3.0 / 4.0)


FLOORS = {"forward_seconds_per_token": 0.001, "train_seconds_per_token": 0.003, "decode_seconds_per_step": 0.02}


def test_the_floor_is_the_models_bare_products_and_says_what_could_be_reached(bench, work, found):
    assert bench.figures(work, found)["product_floor_ratio"] is None, "turns of an earlier version have none"
    found["limits"] = [LIMITS[0] | FLOORS, LIMITS[1] | dict.fromkeys(FLOORS, 9.0)]
    figures = bench.figures(work, found)
    floor = 2 * 20 * 0.001 + 10 * 0.02 + (2 * 20 + 8 * 10) * 0.003
    assert figures["product_floor_ratio"] == pytest.approx(floor / 5)
    assert figures["most_tokens_per_cpu_second_to_trl_ratio"] == pytest.approx((80 / floor) / 4)
    assert bench.figures(dataclasses.replace(work, device="cuda"), found)["product_floor_ratio"] is None


def test_memory_has_a_floor_too(bench, scripts, work, found):
    assert bench.figures(work, found)["least_memory_to_trl_ratio"] == pytest.approx(4 * 4000 / 2000)
    assert scripts["ratios"].least_bytes(MODEL | {"weight_bytes": 2000}) == 14 * 1000, (
        "two bytes less a weight in its gradient"
    )


def test_the_floor_multiplies_by_each_weight_once_at_the_sizes_of_a_step(device_limits, scripts, tmp_path):
    model = str(scripts["given"].stand_in(tmp_path / "m", hidden_size=16, intermediate_size=24, num_hidden_layers=2, vocab_size=64,
                               num_attention_heads=2, num_key_value_heads=1))  # fmt: skip
    shapes = {(16, 16): 4, (8, 16): 4, (24, 16): 4, (16, 24): 2, (64, 16): 1}
    assert dict(device_limits.shapes_of(model)) == shapes
    ticks = iter(range(1000))  # every call takes one second
    found = device_limits.floors(model, 5, "cpu", torch.float32, lambda: float(next(ticks)))
    count = sum(shapes.values())
    assert found["forward_seconds_per_token"] == pytest.approx(count / 256)
    assert found["train_seconds_per_token"] == pytest.approx(3 * count / 256)
    assert found["decode_seconds_per_step"] == pytest.approx(count)


def test_the_median_step_counts_so_that_one_slow_step_changes_nothing(bench, found):
    work = bench.Work(prompts=2, samples=4, tokens=10, steps=3, threads=1, device="cpu")
    before = bench.figures(work, found)
    slow = {"collect": 90.0, "update": 90.0}
    ours = found["steps"]["ours"]
    ours.insert(0, report(4, 600, metrics=metrics(240), cpu=CPU, prompt_tokens=20.0))
    same = bench.figures(work, found)["train_mfu"]
    ours[1]["cpu"] = slow
    assert bench.figures(work, found)["train_mfu"] == same
    assert before["train_mfu"] == same


@pytest.mark.parametrize(
    ("key", "method", "limit"),
    [
        ("decode_to_bandwidth_limit_ratio", "collect", "bytes_per_second"),
        ("train_mfu", "update", "flops_per_second"),
    ],
)
def test_a_ratio_above_the_limit_is_refused_with_the_reason_and_the_other_stays(bench, work, found, key, method, limit):
    found["limits"] = [{**one, limit: one[limit] / 100} for one in LIMITS]
    figures = bench.figures(work, found)
    assert figures[key] is None
    assert list(figures["refused"]) == [key]
    assert "above 1" in figures["refused"][key]
    assert f"| `{key}` | – |" in bench.table(
        {**figures, "model": "", "device": "cpu", "trl": "", "prompts": 1, "samples": 1, "tokens": 1, "steps": 1,
         "threads": 1, "dtype": "", "rewards": "", "load_average_least": 0.0, "load_average": 0.0}
    )  # fmt: skip
    assert method in CPU


def test_the_spread_of_steps_and_limits_is_told(bench, work, found):
    figures = bench.figures(work, found)
    assert figures["bytes_per_second_spread"] == pytest.approx(2.5)
    assert figures["flops_per_second_spread"] == pytest.approx(2.0)
    assert figures["ours_cpu_spread"] == pytest.approx(1.5)


class SetClock:
    """A clock that only the measured action moves."""

    def __init__(self, durations):
        self.now, self.durations, self.calls = 0.0, iter(durations), 0

    def __call__(self):
        return self.now

    def act(self):
        self.calls += 1
        self.now += next(self.durations)


def test_a_limit_is_the_fastest_of_several_calls_after_one_that_warms_up(device_limits):
    clock = SetClock([1.0, 7.0, 2.0, 9.0, 3.0, 5.0])
    assert device_limits.fastest(clock.act, clock) == 2.0
    assert clock.calls == device_limits.TIMES + 1


def test_the_limits_are_bytes_and_products_by_the_clock_that_is_given(device_limits, monkeypatch):
    monkeypatch.setattr(device_limits, "_MEGABYTES", 1)
    monkeypatch.setattr(device_limits, "_SIZES", {"cpu": (8, 16)})
    ticks = iter(range(10_000))
    found = device_limits.limits("cpu", torch.float32, lambda: float(next(ticks)))  # every call takes one second
    assert found == {"bytes_per_second": 2.0 * 2**20, "flops_per_second": 2.0 * 16**3}


def test_one_thread_has_its_own_clock(device_limits):
    assert device_limits.clock_of("cpu", "cpu") is device_limits.time.thread_time
    assert device_limits.clock_of("wall", "cpu") is device_limits.time.perf_counter


def test_the_table_has_a_row_for_each_figure(bench, work, found):
    report = {**bench.figures(work, found), "model": "tiny", "rewards": "r", "device": "cpu", "trl": "trl==1", "prompts": 2, "samples": 4,
              "tokens": 10, "steps": 2, "threads": 1, "dtype": "float32", "load_average_least": 0.0, "load_average": 1.0}  # fmt: skip
    shown = bench.table(report)
    assert all(f"| `{name}` |" in shown for name in bench.KEYS)


def test_both_trainers_are_told_the_same_work(bench, work):
    ours, trl = (work.options(Path("m"), Path("p"), rows, "float32") for rows in (work.rows, work.samples))
    assert [one for one, two in zip(ours, trl, strict=True) if one != two] == ["8"], "but for rows at once"
    assert ours[ours.index("--steps") + 1] == "3", "one more, which warms up"


def test_random_weights_are_rewarded_by_their_text_as_no_answer_of_theirs_earns_anything(bench, shared, tmp_path):
    assert bench.pick_project(tmp_path / "none", "SmolLM2-135M") == (shared.PROJECT, "the verifier's")
    project, told = bench.pick_project(tmp_path / "project", "stand-in of SmolLM2-135M's shape, random weights")
    assert "drawn" in told
    told = {}
    exec((project / "src" / "lecture_plain_style" / "__init__.py").read_text(), told)
    scores = [told["verify"]({}, f"answer {number} \ud800") for number in range(8)]
    assert len({one["lowercase"] for one in scores}) == 8
    assert all(set(one) == {"lowercase", "length", "topic"} and one["topic"] == 1 for one in scores)
    assert [told["verify"]({}, f"answer {number} \ud800") for number in range(8)] == scores
    assert shared.tasks(project) == shared.tasks(shared.PROJECT)


def test_a_stand_in_has_the_shape_that_it_stands_for(scripts, tmp_path):
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    folder = scripts["given"].stand_in(tmp_path / "model", vocab_size=120, hidden_size=32, intermediate_size=48,
                            num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)  # fmt: skip
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    assert model.config.vocab_size == 120
    assert len(tokenizer) <= 120
    assert tokenizer.chat_template


class Scripted:
    """A trainer whose steps take ``seconds`` of a clock that is set."""

    told: ClassVar[dict] = {"model": MODEL}
    seconds: ClassVar[float] = 10.0
    clock: ClassVar[list[float]] = [0.0]

    def __init__(self, name, command):
        self.name, self.taken = name, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def step(self):
        self.taken += 1
        self.clock[0] += self.seconds
        limits = {"limits": LIMITS[0]} if self.name == "limits" else {}
        return report(4, 600, metrics=metrics(240.0 * self.taken), cpu=CPU, **limits)


@pytest.fixture
def measured(bench, work, monkeypatch):
    """Measure into a file for so many seconds; returns the turns."""
    monkeypatch.setattr(bench, "Trainer", Scripted)
    monkeypatch.setattr(Scripted, "clock", [0.0])
    alter_library(monkeypatch, bench, "time", monotonic=lambda: Scripted.clock[0])

    def measure(path, seconds=float("inf"), told=None):
        turns = bench.Turns(path, told or {"model": "tiny"})
        bench.measure(work, (Path("m"), Path("p")), "python", turns, Scripted.clock[0] + seconds)
        return turns

    return measure


def test_turns_of_several_runs_count_together_and_are_kept_one_by_one(bench, work, measured, tmp_path):
    kept = tmp_path / "turns.json"
    once = measured(kept)
    assert len(once.counted) == work.steps
    twice = measured(kept)
    assert len(twice.counted) == 2 * work.steps
    assert len(json.loads(kept.read_text())["turns"]) == 2 * work.steps
    one, two = bench.figures(work, once.found()), bench.figures(work, twice.found())
    assert one == two, "the same steps again change no figure"
    assert {each["ours"]["prompt_tokens"] for each in twice.counted} == {20.0}


def test_no_turn_begins_that_would_end_too_late(measured, tmp_path):
    trainers = 5
    assert len(measured(tmp_path / "a", seconds=3 * trainers * Scripted.seconds).counted) == 2
    assert len(measured(tmp_path / "b", seconds=3 * trainers * Scripted.seconds - 1).counted) == 1
    assert measured(tmp_path / "c", seconds=1).counted == []
    assert not (tmp_path / "c").exists()


def test_turns_of_other_work_are_refused(measured, tmp_path):
    measured(tmp_path / "turns.json")
    with pytest.raises(SystemExit, match="of other work"):
        measured(tmp_path / "turns.json", told={"model": "another"})
