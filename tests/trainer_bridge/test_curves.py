"""``scripts/curves``: what a run's files say is what is kept and drawn, and what is committed was drawn from its numbers."""

import copy
import dataclasses
import importlib
import json
import re
import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).parents[2]
KEPT = sorted((ROOT / "docs" / "curves").glob("*.json"))


@pytest.fixture
def curves(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    yield importlib.import_module("curves")
    for name in ("curves", "curve_plot", "curve_warm_ups", "curve_programs"):
        sys.modules.pop(name, None)


@pytest.fixture
def run(tmp_path):
    points = [
        {"step": 0, "values": {"eval_reward": 0.5, "eval_rewards/a/mean": 0.5, "eval_time": 9}},
        {"step": 2, "values": {"reward": 0.75, "entropy": 1.0}},
        {"step": 1, "values": {"reward": 0.123456, "entropy": None}},
        {"step": 2, "values": {"reward": 0.75, "entropy": 1.0, "eval_reward": 0.9, "eval_rewards/a/mean": None}},
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(point) + "\n" for point in points))
    receipt = {"packages": [{"package": "a/b", "version": "1.0.0"}], "model": {"dtype": "float32"}}
    (tmp_path / "receipt.json").write_text(json.dumps(receipt))
    return tmp_path


def report(curves, *runs):
    return {"curve": "x", "runs": list(runs)}


def line(variant, seed, steps, values, name="reward"):
    return {"variant": variant, "seed": seed, "steps": steps, "series": {name: values}}


def test_a_run_is_read_by_step_and_a_step_that_is_told_again_counts_once(curves, run):
    found = curves.read_run(run, ("reward", "entropy"))
    assert found["steps"] == [1, 2]
    assert (found["packages"], found["dtype"]) == ({"a/b": "1.0.0"}, "float32")
    assert found["series"] == {"reward": [0.1235, 0.75], "entropy": [None, 1.0]}, "not judged is not 0"


def test_held_out_rewards_are_those_before_the_first_and_after_the_last_step(curves, run):
    found = curves.read_run(run, ("reward",))["held_out_before_and_after"]
    assert found == {"reward": [0.5, 0.9], "rewards/a/mean": [0.5, None]}


def test_the_hubs_alarm_is_asked_where_there_is_a_second_verifier(curves):
    steps = list(range(1, 21))
    apart = {"rewards/a/mean": [0.2 + 0.04 * step for step in steps], "held_out/a/mean": [0.2] * 20}
    together = {"rewards/a/mean": [0.5] * 20, "held_out/a/mean": [0.5] * 20}
    assert 1 < curves.alarm(steps, apart, "held_out/a/mean") < 20
    assert curves.alarm(steps, together, "held_out/a/mean") is None


def test_a_plot_has_a_line_a_seed_and_one_for_each_variants_mean(curves):
    runs = [line(variant, seed, [1, 2], [0.0, 1.0]) for variant in ("a", "b <c>") for seed in (0, 1, 2)]
    shown = curves.plot(report(curves, *runs))
    assert shown.count("<polyline") == 2 * (3 + 1)
    assert "b &lt;c&gt;" in shown


def test_a_mean_is_taken_where_every_seed_has_a_value(curves):
    mean = sys.modules["curve_plot"].mean
    runs = [line("", 0, [1, 2, 3], [1.0, None, 3.0]), line("", 1, [1, 2, 3], [3.0, 1.0, 5.0])]
    assert mean(runs, "reward") == ([1, 3], [2.0, 4.0])


def test_the_last_step_is_at_the_right_edge_and_the_largest_value_on_top(curves):
    shown = curves.plot(report(curves, line("", 0, [1, 5], [0.0, 2.0])))
    (points, _) = re.findall(r'points="([^"]*)"', shown)
    plot = sys.modules["curve_plot"]
    assert points.split() == [
        f"{plot.LEFT:.1f},{plot.TOP + plot.HEIGHT:.1f}",
        f"{plot.LEFT + plot.WIDTH:.1f},{plot.TOP:.1f}",
    ]


def test_numbers_that_are_too_many_for_the_repository_are_refused(curves, tmp_path):
    many = line("", 0, list(range(1, 9000)), [0.1234] * 8999)
    with pytest.raises(SystemExit, match="30000 are allowed"):
        curves.write(tmp_path / "x", report(curves, many))
    assert list(tmp_path.iterdir()) == []


def test_the_planted_hole_accepts_what_the_held_out_verifier_does_not(monkeypatch):
    for name in ("digits_with_hole", "digits_without_hole"):
        monkeypatch.syspath_prepend(str(ROOT / "scripts" / "curve_tasks" / name / "src"))
    weak, strict = (importlib.import_module(f"curves_digits_{name}_hole").verify for name in ("with", "without"))
    assert (weak("7777"), strict("7777")) == ({"digits": 1.0}, {"digits": 0.25})
    assert weak("7301") == strict("7301") == {"digits": 1.0}
    assert weak("") == strict("") == {"digits": 0.0}


def test_settings_of_every_curve_are_settings_of_a_run(curves, tmp_path):
    from trainer_bridge.settings import TrainSettings  # noqa: PLC0415

    for curve in curves.CURVES.values():
        for changes in curve.variants.values():
            TrainSettings.make({"recipe": "dapo", **curve.settings, **changes, "output": tmp_path})
        TrainSettings.make({"recipe": "dapo", **curve.settings, **curve.begins_with, "output": tmp_path})


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_is_kept_is_small_its_plot_is_drawn_from_it_and_its_settings_are_the_scripts(curves, path):
    kept = json.loads(path.read_text())
    assert path.stat().st_size <= curves.MOST_BYTES
    assert path.with_suffix(".svg").read_text() == curves.plot(kept)
    assert kept["settings"] == json.loads(json.dumps(curves.described(curves.CURVES[path.stem])))
    assert kept["command"] == curves.command(path.stem, sorted({run["seed"] for run in kept["runs"]}))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_every_curve_that_is_kept_is_read_on_the_page(path):
    page = (ROOT / "docs" / "explanation" / "learning_curves.md").read_text()
    assert f"../curves/{path.name}" in page
    assert f"../curves/{path.stem}.svg" in page


def test_a_curve_is_trained_read_and_drawn_from_its_command_on(curves, tmp_path, monkeypatch):
    short = {**curves.CURVES["hole"].settings, "steps": 1, "eval_tasks": 2}
    monkeypatch.setitem(curves.CURVES, "hole", dataclasses.replace(curves.CURVES["hole"], settings=short))
    monkeypatch.setenv("VERIHUB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "1")
    monkeypatch.chdir(ROOT)
    curves.main(["hole", "--seeds", "5", "--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out")])
    kept = json.loads((tmp_path / "out" / "hole.json").read_text())
    (run,) = kept["runs"]
    assert (run["seed"], run["steps"]) == (5, [1])
    assert run["series"]["held_out/digits/mean"][0] <= run["series"]["rewards/digits/mean"][0]
    assert (tmp_path / "out" / "hole.svg").read_text().startswith("<svg")


def test_all_seeds_begin_with_one_supervised_run_where_a_curve_has_one(curves, tmp_path, monkeypatch):
    begun = []

    def train(settings):
        begun.append(settings)
        (settings["output"] / "model").mkdir(parents=True)

    monkeypatch.setattr(curves, "train", train)
    curve = curves.CURVES["wordle"]
    first, again = (curves.begin(curve, tmp_path / "begin") for _ in range(2))
    assert first == again == {"model": str(tmp_path / "begin" / "model")}
    (supervised,) = begun
    assert (supervised["recipe"], supervised["model"]) == ("sft", "tiny")
    assert curves.begin(curves.CURVES["hole"], tmp_path / "none") == {}


def test_every_target_is_a_folder_here_and_not_a_packages_name(curves, monkeypatch):
    from hub_client.client import project_folder  # noqa: PLC0415

    monkeypatch.chdir(ROOT)
    for curve in curves.CURVES.values():
        targets = [*curve.settings["targets"], *filter(None, [curve.settings.get("held_out_verifier")])]
        assert all(project_folder(target) for target in targets)


@pytest.mark.parametrize("name", ["write_wordle", "write_short_wordle"])
def test_scripted_games_are_whole_and_always_the_same(name, curves, tmp_path):
    for path in (tmp_path / "one.jsonl", tmp_path / "two.jsonl"):
        getattr(curves, name)(path, count=20)
    text = (tmp_path / "one.jsonl").read_text()
    assert text == (tmp_path / "two.jsonl").read_text()
    for line in text.splitlines():
        messages = json.loads(line)["messages"]
        assert messages[-1]["role"] == "assistant", "the game has ended: nothing is said after it"
        guesses = [message["content"] for message in messages if message["role"] == "assistant"]
        assert 1 <= len(guesses) <= 6
        assert len(set(guesses)) == len(guesses)


def test_the_player_of_wordle_knows_the_secrets_that_are_trained_on_alone(curves, tmp_path):
    curves.write_wordle(tmp_path / "games.jsonl", count=200)
    lines = (ROOT / "collection/wordle/src/lecture_wordle/tasks.jsonl").read_text().splitlines()
    first = {json.loads(line)["answer"] for line in lines[: curves.CURVES["wordle"].settings["max_tasks"]]}
    games = [json.loads(line)["messages"] for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert {said["content"] for game in games for said in game if said["role"] == "assistant"} == first


def test_every_curve_with_demonstrations_has_somebody_who_writes_them(curves, tmp_path):
    from trainer_bridge.rollout.demonstrations import read_demonstrations  # noqa: PLC0415

    everything = [{**curve.settings, **curve.begins_with} for curve in curves.CURVES.values()]
    named = {settings.get("demonstrations") for settings in everything} - {None}
    assert named == set(curves.WARM_UPS)
    for number, write in enumerate(curves.WARM_UPS.values()):
        write(tmp_path / f"{number}.jsonl", count=3)
        assert len(read_demonstrations(tmp_path / f"{number}.jsonl")) == 3


def test_a_demonstrated_program_does_what_its_familys_function_does(curves, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "collection" / "python-functions" / "src"))
    levels = importlib.import_module("lecture_python_functions.families").LEVELS
    programs = importlib.import_module("curve_programs")
    families = {family.__name__: family for level in levels.values() for family in level}
    assert set(families) - set(programs.PROGRAMS) == {"brackets", "stack_machine"}
    for name in programs.PROGRAMS:
        for seed in range(6):
            random, written = Random(seed), {}
            function = families[name](random)
            exec(programs.program_of(name, function), written)
            for _ in range(6):
                given = function.draw(random)
                assert written[function.entry](*copy.deepcopy(given)) == function.value_of(*copy.deepcopy(given))
