"""A newcomer with each starter: init, check, publish, and its use, with nothing but what the commands themselves say."""

import pytest

from schemas.kinds import PackageKind
from tests.hub_client.commands.model_server import Model, saying

NOBODY = "http://127.0.0.1:9"
live = pytest.mark.together("live_hub")

STARTERS = {
    "verifier": ("--kind", "verifier"),
    "environment": ("--kind", "environment"),
    "session": ("--kind", "environment", "--session"),
    "tool": ("--kind", "tool"),
    "harness": ("--kind", "harness"),
    "recipe": ("--kind", "recipe"),
    "suite": ("--kind", "suite"),
    "benchmark": ("--kind", "benchmark", "--environment", "lecture/gsm8k@1.0.0"),
}


@pytest.fixture
def model():
    served = Model()
    yield served
    served.close()


def test_every_kind_has_a_starter_here() -> None:
    assert {options[1] for options in STARTERS.values()} == set(PackageKind)


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_passes_its_own_check_and_its_cases(verihub, own_folders, name) -> None:
    assert verihub("init", "alice/my-thing", *STARTERS[name]).code == 0
    said = verihub("check", "my-thing", "--strict", "--format", "json", "--offline")
    assert said.code == 0, said.err + said.out
    assert said.json["id"] == "alice/my-thing"
    if name in ("verifier", "environment", "session"):
        assert said.json["audit"]["failures"] == []
        said = verihub("audit", "./my-thing", "--fail-below", "D", "--format", "json")  # ten tasks a side earn it
        assert said.code == 0, said.err
        assert [probe for probe in said.json["probes"].values() if probe["failures"] or probe["unscored"]] == []


@pytest.mark.docker
@pytest.mark.parametrize("name", [name for name in STARTERS if name not in ("recipe", "benchmark", "suite")])
def test_a_starter_passes_in_a_real_box(verihub, own_folders, monkeypatch, name) -> None:
    monkeypatch.setenv("VERIHUB_BACKEND", "docker")
    monkeypatch.setenv("VERIHUB_RUN_AT", "here")
    assert verihub("init", "alice/my-thing", *STARTERS[name]).code == 0
    said = verihub("check", "my-thing", "--strict", "--offline")
    assert said.code == 0, said.err + said.out
    assert "fit to be published" in said.out


@live
def test_the_home_pages_three_commands_work_for_whoever_is_logged_in(verihub, at_hub, own_folders, monkeypatch) -> None:
    assert verihub("init", "final-number").code == 0
    monkeypatch.chdir(own_folders / "final-number")
    assert verihub("check").code == 0
    said = verihub("publish", "--wait")
    assert said.code == 0, said.err
    assert f"{at_hub}/final-number 0.1.0 is published" in said.out
    assert "alice" not in said.err
    assert f"{at_hub}_final_number/audit.jsonl" in said.err, "publish names the files that become public"


def test_without_a_login_a_bare_name_says_what_to_type(verihub, own_folders) -> None:
    said = verihub("init", "final-number")
    assert said.code == 2
    assert "OWNER/final-number" in said.err
    assert "verihub login" in said.err
    assert list(own_folders.iterdir()) == []


@live
@pytest.mark.parametrize("style", ["one-turn", "session"])
def test_a_company_evaluates_a_model_on_its_own_hub_with_starters_alone(
    verihub, at_hub, own_folders, tmp_path, model, style
) -> None:
    """An environment, a harness and a benchmark that pins them, published and used."""
    more = ("--session",) if style == "session" else ()
    assert verihub("init", "puzzles", "--kind", "environment", *more).code == 0
    assert verihub("init", "loop", "--kind", "harness").code == 0
    assert verihub("publish", "puzzles", "loop").code == 0
    said = verihub("init", "bench", "--kind", "benchmark", "--environment", f"{at_hub}/puzzles")
    assert said.code == 0, said.err
    assert f"{at_hub}/puzzles@0.1.0" in next((own_folders / "bench").rglob("verihub.toml")).read_text()
    assert verihub("check", "bench").code == 0
    assert verihub("publish", "bench").code == 0
    model.answer = lambda body: saying("3" if style == "one-turn" else "50")
    said = verihub(
        "eval", f"{at_hub}/bench", "--harness", f"{at_hub}/loop", "--model", "m", "--endpoint", model.url,
        "--tasks", "4", "--output", tmp_path / "out", "--format", "json",
    )  # fmt: skip
    assert said.code == 0, said.err
    (cell,) = said.json["cells"]
    assert (cell["tasks"], cell["failed"], cell["unjudged"]) == (4, 0, 0)
    assert cell["observed"] is not None


@live
def test_a_benchmark_that_names_what_the_hub_lacks_is_found_by_check(verihub, at_hub, own_folders) -> None:
    assert verihub("init", "bench", "--kind", "benchmark", "--environment", "nobody/nothing@1.0.0").code == 0
    said = verihub("check", "bench")
    assert said.code == 6
    assert "environments: " in said.out
    assert "nobody/nothing" in said.out
    assert verihub("init", "loop", "--kind", "harness").code == 0
    assert verihub("publish", "loop").code == 0
    assert verihub("init", "wrong", "--kind", "benchmark", "--environment", f"{at_hub}/loop").code == 0
    said = verihub("check", "wrong")
    assert said.code == 6
    assert "is a harness, not an environment" in said.out


def test_a_benchmark_without_environments_says_what_to_name(verihub, own_folders) -> None:
    said = verihub("init", "alice/bench", "--kind", "benchmark")
    assert said.code == 2
    assert "--environment OWNER/NAME" in said.err
    said = verihub("init", "alice/bench", "--kind", "benchmark", "--environment", "bob/env", "--url", NOBODY)
    assert said.code == 8
    assert "--environment bob/env@1.0.0" in said.err
    assert list(own_folders.iterdir()) == []


def test_options_of_another_kind_are_refused(verihub) -> None:
    assert "--kind environment" in verihub("init", "alice/x", "--session").err
    assert "--kind benchmark" in verihub("init", "alice/x", "--environment", "a/b").err


def test_no_placeholder_is_left_in_a_starter(verihub, own_folders) -> None:
    for name, options in STARTERS.items():
        verihub("init", "alice/my-thing", *options, "--folder", own_folders / name)
        for path in (own_folders / name).rglob("*"):
            assert "@" not in path.name
            assert path.suffix != ".template"
            words = ("@ID@", "@NAME@", "@DISTRIBUTION@", "@IMPORT@", "@ENVIRONMENTS@")
            assert not path.is_file() or not any(word in path.read_text() for word in words)


def test_init_speaks_english(verihub) -> None:
    assert "is an environment that works" in verihub("init", "alice/one", "--kind", "environment").out
    assert "is a tool that works" in verihub("init", "alice/two", "--kind", "tool").out


@live
def test_a_tool_and_a_verifier_are_used_by_whoever_reads_their_names_on_the_hub(verihub, at_hub, own_folders) -> None:
    for kind in ("tool", "verifier"):
        assert verihub("init", f"my-{kind}", "--kind", kind).code == 0
        assert verihub("check", f"my-{kind}", "--strict").code == 0
        assert verihub("publish", f"my-{kind}").code == 0
    said = verihub("mcp", f"{at_hub}/my-tool", "--list")
    assert said.code == 0, said.err
    assert "to_roman" in said.out
    task = '{"id": "t", "prompt": "2 + 2?", "answer": "4"}'
    said = verihub("score", f"{at_hub}/my-verifier@0.1.0", "--task", task, "--response", "4", "--format", "json")
    assert said.code == 0, said.err
    assert said.json["rewards"] == {"correct": 1.0}


@live
def test_a_suite_measures_another_owners_verifier_on_ones_own_hub(verihub, at_hub, own_folders, typed) -> None:
    """As the suite's README says: the verifier names the family. The suite comes first, by somebody else."""
    assert verihub("init", "my-suite", "--kind", "suite").code == 0
    assert verihub("check", "my-suite", "--strict").code == 0
    assert verihub("publish", "my-suite").code == 0
    typed("correct horse battery staple")
    other = f"v{at_hub}"[:30]
    signed_up = ("--name", other, "--sign-up", f"{other}@example.org", "--password-stdin")
    assert verihub("login", *signed_up).code == 0
    assert verihub("init", "my-verifier", "--kind", "verifier").code == 0
    [manifest] = (own_folders / "my-verifier").rglob("verihub.toml")
    manifest.write_text(manifest.read_text() + "\n[judges.short-number]\n")
    assert verihub("check", "my-verifier", "--strict").code == 0
    said = verihub("publish", "my-verifier", "--wait")
    assert said.code == 0, said.err
    report = verihub("audit", f"{other}/my-verifier", "--stored", "--format", "json")
    assert report.code == 0, report.err
    assert f"{at_hub}/my-suite" in report.out
