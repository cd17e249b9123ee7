"""The command line against a real hub: an author publishes, readers and trainers use, somebody finds a mistake."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from hub_client import Hub
from schemas.kinds import PackageKind
from schemas.run import MetricPoint, RolloutRow, RunCreate, RunState, RunUpdate
from tests.making.project import make_project

pytestmark = pytest.mark.together("live_hub")  # one hub for all of them


@pytest.fixture
def published(at_hub, verihub, tmp_path):
    """A tool of one's own on the hub; yields its id. Nothing about it is measured."""
    said = verihub("publish", make_project(tmp_path / "roman", f"{at_hub}/roman", PackageKind.TOOL))
    assert said.code == 0, said.err
    return f"{at_hub}/roman"


def test_from_publish_to_rates(verihub, at_hub, tmp_path) -> None:
    folder = make_project(tmp_path / "numbers", f"{at_hub}/numbers")
    said = verihub("publish", folder, "--wait")
    assert said.code == 0, said.err
    assert "grade D (hollow: by its author's cases alone): accepts wrong 0.0 % (0.0–27.8)" in said.out
    said = verihub("publish", folder, "--format", "json").json["items"][0]["receipt"]
    assert not said["created"]
    found = verihub("search", "final line", "--format", "json").json
    assert f"{at_hub}/numbers" in [item["id"] for item in found["items"]]
    shown = verihub("info", f"{at_hub}/numbers", "--format", "json").json
    assert shown["release"]["audit"]["case_count"] == 20
    assert "grade D" in verihub("info", f"{at_hub}/numbers").out


def test_other_bytes_for_a_version_are_a_conflict_that_says_what_to_do(verihub, published, tmp_path) -> None:
    readme = tmp_path / "roman" / "README.md"
    readme.write_text(readme.read_text() + "changed\n")
    said = verihub("publish", tmp_path / "roman")
    assert said.code == 5
    assert "0.1.0" in said.err


def test_one_faulty_package_of_several_publishes_none(verihub, at_hub, tmp_path) -> None:
    good = make_project(tmp_path / "good", f"{at_hub}/good")
    bad = make_project(tmp_path / "bad", f"{at_hub}/bad", files={"audit.jsonl": "{}\n"})
    assert verihub("publish", good, bad).code == 6
    assert verihub("info", f"{at_hub}/good").code == 4


def test_a_bad_or_missing_token_is_told_before_anything_is_built(verihub, at_hub, tmp_path, monkeypatch) -> None:
    broken = make_project(tmp_path / "broken", f"{at_hub}/broken", files={"audit.jsonl": "{}\n"})
    monkeypatch.setenv("VERIHUB_TOKEN", "vh_not_a_token")
    assert verihub("publish", broken).code == 3
    monkeypatch.delenv("VERIHUB_TOKEN")
    assert verihub("logout").code == 0
    said = verihub("publish", broken)
    assert said.code == 3
    assert "verihub login" in said.err


def test_a_dry_run_changes_nothing(verihub, at_hub, tmp_path) -> None:
    folder = make_project(tmp_path / "good", f"{at_hub}/good")
    said = verihub("publish", folder, "--dry-run")
    assert said.code == 0, said.err
    assert "would be accepted" in said.out
    assert verihub("info", f"{at_hub}/good").code == 4


def test_somebody_elses_name_cannot_be_published_to(verihub, at_hub, tmp_path) -> None:
    said = verihub("publish", make_project(tmp_path / "x", "somebody/x"))
    assert said.code == 9, said.err


def pins_of(lock: str) -> list[str]:
    """Without what the hub of several tests may add meanwhile: entries in its journal, and an audit of a case more."""
    return [line for line in lock.splitlines() if not line.startswith(("digest =", "checkpoint =", "audit ="))]


def test_pull_lock_and_sync_are_replayed_offline(verihub, measured, own_folders) -> None:
    said = verihub("pull", measured.id, "--unpack", "files", "--format", "json")
    assert said.code == 0, said.err
    assert Path(said.json["items"][0]["path"]).is_file()
    assert (own_folders / "files" / measured.id.replace("/", "_") / "verihub.toml").is_file()
    assert verihub("lock", measured.id).code == 0
    first = (own_folders / "verihub.lock").read_text()
    assert verihub("lock").code == 0
    assert pins_of((own_folders / "verihub.lock").read_text()) == pins_of(first)
    assert "image" in first
    assert "audit" in first
    assert verihub("sync", "--offline").code == 0


def test_a_lock_that_is_not_what_the_hub_has_is_an_integrity_error(verihub, measured, own_folders) -> None:
    assert verihub("lock", measured.id, "--no-images").code == 0
    lock = own_folders / "verihub.lock"
    digest = verihub("info", measured.id, "--format", "json").json["release"]["digest"]
    lock.write_text(lock.read_text().replace(digest, "sha256:" + "0" * 64))
    said = verihub("sync")
    assert said.code == 7
    assert "was changed after" in said.err


@pytest.mark.parametrize("place", ["here", "hub"])
def test_a_verdict_is_the_same_here_and_on_the_hub(verihub, measured, monkeypatch, place) -> None:
    monkeypatch.setenv("VERIHUB_RUN_AT", place)
    said = verihub("score", measured.id, "--task", "strawberry-r", "--response", "3", "--format", "json")
    assert said.json["rewards"] == {"correct": 1.0, "brief": 1.0}
    made = verihub("score", measured.id, "--task", "test-0-3", "--response", "no idea", "--format", "quiet")
    assert made.out == "correct=0 brief=0\n"
    report = verihub("audit", measured.id, "--format", "json").json
    assert report["overall"]["tp"] == 20


def test_python_scores_the_same_here_and_on_the_hub(measured, monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "true")
    tables = []
    for place in ("here", "hub"):
        monkeypatch.setenv("VERIHUB_RUN_AT", place)
        with Hub() as hub:
            env = hub.environment(f"{measured.id}@>=0.1")
            pairs = [(task, "3") for task in [*env.tasks("train"), *env.tasks("test", seed=4, limit=8)]]
            tables.append(env.score(pairs).rows)
    assert tables[0] == tables[1]
    assert len(tables[0]) == 18


GUESSING = """

class Session:
    def reset(self, task, seed):
        self.said, self.secret = [], task["answer"]
        return {"messages": [{"role": "user", "content": task["prompt"]}]}

    def step(self, message):
        self.said.append(message["content"])
        done = message["content"] == str(self.secret)
        return {"messages": [{"role": "user", "content": "yes" if done else "no"}], "done": done}

    def state(self):
        return {"said": self.said}
"""


@pytest.fixture
def guessing(at_hub, verihub, tmp_path):
    """A multi-turn environment on the hub; yields its id."""
    folder = make_project(tmp_path / "guessing", f"{at_hub}/guessing", PackageKind.ENVIRONMENT)
    package = folder / "src" / f"{at_hub}_guessing"
    (package / "__init__.py").write_text((package / "__init__.py").read_text() + GUESSING)
    manifest = package / "verihub.toml"
    manifest.write_text(manifest.read_text().replace("audit =", f'session = "{at_hub}_guessing:Session"\naudit ='))
    said = verihub("publish", folder)
    assert said.code == 0, said.err
    return f"{at_hub}/guessing"


@pytest.mark.parametrize("place", ["here", "hub"])
def test_an_episode_is_played_branched_and_taken_back(guessing, monkeypatch, place) -> None:
    monkeypatch.setenv("VERIHUB_RUN_AT", place)

    async def play(env):
        async with env.session(env.find_task("strawberry-r"), seed=1) as session:
            begun = await session.reset()
            first = await session.step({"role": "assistant", "content": "2"})
            twin = await session.branch()
            await session.step({"role": "assistant", "content": "9"})
            won = await twin.step({"role": "assistant", "content": "3"})
            await session.undo()
            return begun, first, won, await session.state(), await twin.state()

    with Hub() as hub:
        begun, first, won, state, other = asyncio.run(play(hub.environment(guessing)))
    assert "strawberry" in begun["messages"][0]["content"]
    assert (first["done"], won["done"]) == (False, True)
    assert (state, other) == ({"said": ["2"]}, {"said": ["2", "3"]})


def test_a_mistake_is_submitted_confirmed_and_listed(verihub, measured) -> None:
    said = verihub(
        "cases", "add", measured.id, "--task", "strawberry-r", "--response", "three", "--label", "correct", "--format", "json"
    )  # fmt: skip
    assert said.code == 0, said.err
    assert said.json["state"] == "reproduced"
    listed = verihub("cases", "list", measured.id, "--format", "json").json["items"]
    assert said.json["id"] in [item["id"] for item in listed]


def test_cases_from_a_file_are_all_read_first_and_sent_once(verihub, measured, tmp_path) -> None:
    rows = [
        {"id": "file-1", "task_id": "banana-a", "response": "three a's", "label": "correct"},
        {"id": "file-2", "task": {"id": "x", "prompt": "?", "answer": 1}, "response": "2", "label": "incorrect"},
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"id": "file-3"}\n')
    said = verihub("cases", "submit", measured.id, file)
    assert said.code == 6
    assert "cases.jsonl:3" in said.err
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = verihub("cases", "submit", measured.id, file, "--format", "json")
    assert said.code == 0, said.err
    assert sorted(item["state"] for item in said.json["items"]) == ["refuted", "reproduced"]
    again = verihub("cases", "submit", measured.id, file, "--format", "json")
    assert (again.json["items"], again.json["known"]) == ([], 2)


def test_changed_verdicts_want_a_new_major_version(verihub, measured, tmp_path) -> None:
    folder = shutil.copytree(measured.folder, tmp_path / "letters")
    code = folder / "src" / "reader_letters" / "__init__.py"
    code.write_text(code.read_text().replace("correct = answered and", "correct = answered and len(given) == 1 and"))
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('version = "0.1.0"', 'version = "0.2.0"'))
    said = verihub("check", folder, "--against", measured.id, "--format", "json")
    assert said.code == 6
    assert {flip["reward"] for flip in said.json["flips"]} == {"correct"}
    assert len(said.json["flips"]) == 10
    assert "needs version 1.0.0" in said.json["faults"][0]
    pyproject.write_text(pyproject.read_text().replace('version = "0.2.0"', 'version = "1.0.0"'))
    assert verihub("check", folder, "--against", measured.id).code == 0


def test_a_yanked_release_is_only_for_who_pinned_it(verihub, published) -> None:
    assert verihub("yank", f"{published}@0.1.0").code == 2
    assert verihub("yank", f"{published}@0.1.0", "--reason", "wrong answers").code == 0
    said = verihub("pull", published)
    assert said.code == 4
    assert "0.1.0 (yanked)" in said.err
    said = verihub("pull", f"{published}@0.1.0")
    assert said.code == 0
    assert "wrong answers" in said.err
    assert verihub("yank", f"{published}@0.1.0", "--undo").code == 0
    assert verihub("pull", published).code == 0


PASSWORD = "correct horse battery staple"


def test_tokens_are_made_used_and_revoked(verihub, at_hub, typed, monkeypatch) -> None:
    assert verihub("whoami", "--format", "quiet").out == f"{at_hub}\n"
    assert verihub("token", "create", "ci").code == 2, "a token alone makes no token"
    typed(PASSWORD)
    secret = verihub("token", "create", "ci", "--scope", "publish", "--days", "3", "--format", "quiet").out.strip()
    typed(PASSWORD)
    tokens = verihub("token", "list", "--format", "json").json["items"]
    made = next(item for item in tokens if item["name"] == "ci")
    assert secret not in json.dumps(tokens)
    monkeypatch.setenv("VERIHUB_TOKEN", secret)
    assert verihub("whoami").code == 0
    monkeypatch.delenv("VERIHUB_TOKEN")
    typed(PASSWORD)
    assert verihub("token", "revoke", made["id"]).code == 0
    monkeypatch.setenv("VERIHUB_TOKEN", secret)
    assert verihub("whoami").code == 3
    typed(secret)
    assert verihub("login", "--with-token").code == 3
    monkeypatch.delenv("VERIHUB_TOKEN")
    assert verihub("logout").code == 0
    said = verihub("whoami")
    assert said.code == 3
    assert "verihub login" in said.err


def test_a_run_is_logged_and_shown(verihub, measured) -> None:
    with Hub() as hub:
        run = hub.runs.create(RunCreate(name="first", model="tiny"))
        hub.runs.log(run.id, [MetricPoint(step=0, values={"reward": 0.5})])
        row = RolloutRow(step=0, task_id="a", response="x", rewards={"correct": 1.0})
        hub.runs.rollouts(run.id, [row])
        hub.runs.rollouts(run.id, [row])
        hub.runs.update(run.id, RunUpdate(state=RunState.FINISHED))
    assert verihub("run", "show", run.id, "--format", "quiet").out == "finished\n"
    assert run.id in verihub("run", "list", "--format", "quiet").out


def test_the_doctor_finds_this_machine_fit(verihub, at_hub) -> None:
    said = verihub("doctor", "--format", "json")
    assert said.code == 0, said.out
    assert {item["name"] for item in said.json["findings"] if item["ok"]} >= {
        "python",
        "hub",
        "token",
        "sandbox",
        "cache",
    }


def test_a_mistyped_package_gets_a_suggestion(verihub, published) -> None:
    said = verihub("info", published.replace("roman", "romn"))
    assert said.code == 4
    assert f"did you mean {published}" in said.err
    assert "did you mean" not in verihub("info", "nobody/zzzzqqqq").err
