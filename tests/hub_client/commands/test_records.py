"""Records from the command line: who signed, what changed since, in every shape; comparisons; rollouts as cases."""

import json
import shutil

import pytest

from hub_client import Hub
from hub_client.run_logger import RunLogger
from hub_client.transport.requests.runs import list_rollouts
from schemas.kinds import PackageKind
from schemas.run import PinnedPackage, RolloutRow, RunCreate, RunState
from tests.making.project import make_project

pytestmark = pytest.mark.together("live_hub")


def test_a_stored_report_is_this_hubs_to_the_letter(verihub, measured, tmp_path) -> None:
    said = verihub("audit", "--verify", measured.id, "--format", "json")
    assert said.code == 0, said.err
    assert said.json["subject"] == f"{measured.id}@0.1.0"
    assert len(said.json["key_id"]) == 16
    file = tmp_path / "report.json"
    assert verihub("audit", "--stored", measured.id, "--report", file).code == 0
    again = verihub("audit", "--verify", file, "--format", "json")
    assert again.code == 0, again.err
    assert again.json["report_digest"] == said.json["report_digest"]
    assert "signed by" in verihub("audit", "--verify", file).out


@pytest.mark.parametrize(
    ("change", "value", "words"),
    [
        ("grade", "A", "changed after it was signed"),
        ("case_count", 9999, "changed after it was signed"),
        ("signature", None, "carries no ed25519 signature"),
    ],
)
def test_a_report_file_that_was_changed_is_an_integrity_error(
    verihub, measured, tmp_path, change, value, words
) -> None:
    file = tmp_path / "report.json"
    verihub("audit", "--stored", measured.id, "--report", file)
    data = json.loads(file.read_text())
    data[change] = value
    file.write_text(json.dumps(data))
    said = verihub("audit", "--verify", file)
    assert said.code == 7
    assert words in said.err


def test_a_report_of_ones_own_is_not_the_hubs(verihub, measured, tmp_path) -> None:
    own = tmp_path / "own.json"
    assert verihub("audit", measured.folder, "--report", own, "--no-probes").code == 0
    assert verihub("audit", "--verify", own).code == 7


def test_what_is_no_report_is_said(verihub, measured, tmp_path) -> None:
    (tmp_path / "x.json").write_text("[1]")
    assert verihub("audit", "--verify", tmp_path / "x.json").code == 2
    (tmp_path / "y.json").write_text('{"signature": "ed25519:a:b"}')
    assert verihub("audit", "--verify", tmp_path / "y.json").code == 2


def test_a_report_is_written_in_every_shape(verihub, measured, tmp_path) -> None:
    files = {name: tmp_path / f"out.{name}" for name in ("markdown", "openenv", "badge", "report")}
    options = [part for name, path in files.items() for part in (f"--{name}", path)]
    assert verihub("audit", "--stored", measured.id, *options).code == 0
    assert files["markdown"].read_text().startswith(f"# Audit of {measured.id}@0.1.0")
    assert json.loads(files["openenv"].read_text())["target"] == f"{measured.id}@0.1.0"
    assert files["badge"].read_text().startswith("<svg")
    assert "signature" in json.loads(files["report"].read_text())


LENIENT = "def verify(task, response):\n    return {'correct': float(str(task['answer']) in response)}\n"


def test_two_verifiers_are_compared_here(verihub, tmp_path) -> None:
    first = make_project(tmp_path / "a", "alice/a")
    second = make_project(tmp_path / "b", "bob/b", files={"__init__.py": LENIENT})
    said = verihub("compare", first, second, "--format", "json")
    assert said.code == 0, said.err
    found = said.json
    assert (found["first"], found["second"]) == ("alice/a@0.1.0", "bob/b@0.1.0")
    assert found["disagreement_count"] == len(found["disagreements"]) > 0
    assert found["probe_count"] > 0
    assert found["first_digest"] != found["second_digest"]
    text = verihub("compare", first, second).out
    assert "same verdict" in text
    assert "distance" in text
    same = verihub("compare", first, first, "--format", "json").json
    assert same["agreed"] == same["judged"] > 0


def test_a_comparison_takes_cases_from_a_file(verihub, tmp_path) -> None:
    first, second = make_project(tmp_path / "a", "alice/a"), make_project(tmp_path / "b", "bob/b")
    rows = [
        {
            "id": f"c{n}",
            "task": {"id": f"n{n}", "prompt": "?", "answer": n},
            "response": f"Answer: {n}",
            "label": "correct",
        }
        for n in range(5)
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    said = verihub("compare", first, second, "--cases", file, "--no-probes", "--format", "json")
    assert (said.json["case_count"], said.json["probe_count"]) == (5, 0)
    assert verihub("compare", first, second, "--cases", tmp_path / "none.jsonl").code == 2
    assert verihub("compare", "a/b", "c/d", "--cases", file, "--on-hub").code == 2


def test_the_hub_compares_and_keeps_the_result(verihub, at_hub, tmp_path) -> None:
    for name, code in (("one", None), ("two", LENIENT)):
        files = {"__init__.py": code} if code else {}
        said = verihub("publish", make_project(tmp_path / name, f"{at_hub}/{name}", files=files), "--wait")
        assert said.code == 0, said.err
    said = verihub("compare", f"{at_hub}/one", f"{at_hub}/two", "--on-hub", "--format", "json")
    assert said.code == 0, said.err
    assert said.json["disagreement_count"] > 0


def test_a_rollout_becomes_a_case_with_one_command(verihub, at_hub, tmp_path) -> None:
    folder = make_project(tmp_path / "letters", f"{at_hub}/letters", PackageKind.ENVIRONMENT)
    assert verihub("publish", folder, "--wait").code == 0
    with Hub() as hub:
        release = hub.package(f"{at_hub}/letters").releases[0]
        pin = PinnedPackage(package=release.package, version=release.version, digest=release.digest)
        run = hub.runs.create(RunCreate(name="grpo", packages=[pin]))
        rewards = {"correct": 1.0, "brief": 1.0}
        row = RolloutRow(step=4, package=release.package, task_id="strawberry-r", response="two", rewards=rewards)
        hub.runs.rollouts(run.id, [row])
    listed = verihub("run", "show", run.id, "--format", "json")
    assert listed.code == 0
    with Hub() as hub:
        number = hub.send(list_rollouts(run.id)).items[0].id
    from_run = ("cases", "add", f"{at_hub}/letters", "--run", run.id, "--rollout", number)
    unasked = verihub(*from_run)
    assert unasked.code == 2, "it took the opposite of the verdict as label without a word"
    assert "accepted this response (correct 1, brief 1). If that is wrong, say so: --label incorrect" in unasked.err
    said = verihub(*from_run, "--label", "incorrect", "--format", "json")
    assert said.code == 0, said.err
    case = said.json
    assert case["case"]["label"] == "incorrect"
    assert case["case"]["source"] == f"run {run.id}, rollout {number}, step 4"
    assert case["case"]["task"]["answer"] == 3
    assert verihub("cases", "add", f"{at_hub}/letters", "--run", run.id).code == 2
    assert verihub("cases", "add", f"{at_hub}/letters", "--label", "correct", "--response", "x").code == 2


def test_a_check_replays_the_communitys_cases_and_names_what_would_hold_the_release_back(
    verihub, at_hub, as_account, tmp_path
) -> None:
    folder = make_project(tmp_path / "v1", f"{at_hub}/guard", files={"__init__.py": LENIENT})
    assert verihub("publish", folder, "--wait").code == 0
    task = '{"id": "t", "prompt": "?", "answer": 4}'
    as_account("bob")
    said = verihub(
        "cases", "add", f"{at_hub}/guard", "--task", task, "--response", "Answer: 14", "--label", "incorrect"
    )
    assert "reproduced" in said.out, said.err
    as_account(None)
    (case,) = verihub("cases", "list", f"{at_hub}/guard", "--format", "json").json["items"]
    fixed = tmp_path / "v2"
    shutil.copytree(folder, fixed)
    package = fixed / "src" / f"{at_hub}_guard"
    strict = (
        "def verify(task, response):\n    return {'correct': float(response.split()[-1:] == [str(task['answer'])])}\n"
    )
    (package / "__init__.py").write_text(strict)
    _set_version(fixed, "1.0.0")
    said = verihub("check", fixed, "--against", f"{at_hub}/guard", "--format", "json")
    flips = [flip for flip in said.json["flips"] if flip["case"].startswith("community:")]
    assert [(flip["old"], flip["new"], flip["becomes"]) for flip in flips] == [(1.0, 0.0, "right")]
    assert "the community’s" in " ".join(said.json["remarks"])
    assert verihub("publish", fixed, "--wait").code == 0
    _set_version(folder, "2.0.0")
    unseconded = verihub("check", folder, "--against", f"{at_hub}/guard")
    assert unseconded.code == 0, "a case that counts for nothing holds nothing back"
    assert verihub("cases", "second", f"{at_hub}/guard", case["id"]).code == 0
    said = verihub("check", folder, "--against", f"{at_hub}/guard")
    assert said.code == 6
    assert "would hold this release back from @latest" in said.out
    assert "now WRONG" in said.out


def _set_version(folder, version: str) -> None:
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('version = "0.1.0"', f'version = "{version}"'))


def test_a_told_seed_draws_the_same_probes_and_another_one_others(verihub, tmp_path) -> None:
    """The probes that a verifier fails are in its report, with their responses: what who repeats an audit compares."""
    folder = make_project(tmp_path / "guard", "seeds/guard", files={"__init__.py": LENIENT})

    def failed(seed: str) -> list[tuple[str, str]]:
        file = tmp_path / "report.json"
        said = verihub("audit", folder, "--probe-seed", seed, "--report", file)
        assert said.code == 0, said.err
        rows = json.loads(file.read_text())["failures"]
        return [(row["case"], row["response"]) for row in rows if row["origin"] == "probe"]

    first, again, other = failed("one"), failed("one"), failed("two")
    assert first == again != other
    assert len(first) > 5


def test_what_a_run_could_not_send_is_sent_once_by_one_command(verihub, at_hub, tmp_path, hub_address) -> None:
    with Hub(token="nobodys") as hub:
        logger = RunLogger(hub.runs, tmp_path, lambda _text: None)
        logger.create(RunCreate(name="away"))
        logger.log(1, {"reward": 0.25})
        logger.rollouts([RolloutRow(step=1, task_id="t", response="two", rewards={"correct": 1.0})])
        logger.finish(RunState.FINISHED, seconds=0)
    file = tmp_path / "unsent.jsonl"
    before = file.read_bytes()
    said = verihub("run", "send", tmp_path)
    assert said.code == 0, said.err
    run = said.out.strip().rpartition("/")[2]
    assert said.out == f"sent 4 reports: 1 metric point and 1 rollout\nRun: {hub_address}/runs/{run}\n"
    assert verihub("run", "show", run, "-q").out.strip() == "finished"
    assert "4 reports had been sent before: nothing is left" in verihub("run", "send", file).out
    file.write_bytes(before)  # as if it had been killed before it noted anything
    assert verihub("run", "send", file, "-q").out.strip() == run
    with Hub() as hub:
        assert len(hub.send(list_rollouts(run)).items) == 1


def test_of_a_run_that_was_killed_its_files_are_sent_once(verihub, at_hub, tmp_path) -> None:
    with Hub() as hub:
        logger = RunLogger(hub.runs, tmp_path, lambda _text: None)
        logger.create(RunCreate(name="killed"))
        logger.log(1, {"reward": 0.25})
        logger.finish(RunState.RUNNING)
    point = {"step": 2, "values": {"reward": 0.5}}
    row = RolloutRow(step=2, task_id="t", response="two", rewards={"correct": 1.0})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write(json.dumps(point) + "\n" + '{"step": 3, "val')
    (tmp_path / "rollouts.jsonl").write_text(row.model_dump_json() + "\n")
    said = verihub("run", "send", tmp_path)
    assert said.out.startswith("sent 2 reports: 1 metric point and 1 rollout\n"), said
    assert verihub("run", "send", tmp_path).out.startswith("there was nothing to send: the hub has all of it\n")
    run = said.out.strip().rpartition("/")[2]
    with Hub() as hub:
        assert [one.step for one in hub.runs.stored_points(run)] == [1, 2]
        assert [one.response for one in hub.runs.stored_rollouts(run)] == ["two"]
    none = tmp_path / "none"
    none.mkdir()
    assert "no run was reported from it" in verihub("run", "send", none).err
