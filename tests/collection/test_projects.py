"""Every project of the collection is what an author's should be: complete, readable, with an audit worth its grade."""

import tomllib
from collections import Counter

from sandbox.audit.cases import case_problems
from schemas.evidence.cases import Label
from schemas.manifest import RewardRole
from schemas.names import distribution_name
from schemas.task import Task, canonical_json

FEWEST_CASES, FEWEST_OF_A_LABEL = 60, 20


def test_project_names_are_those_of_the_package(project):
    metadata = tomllib.loads((project.folder / "pyproject.toml").read_text())["project"]
    assert metadata["name"] == distribution_name(project.manifest.id)
    assert project.data.name == project.manifest.import_name
    assert len(metadata["description"]) > 30
    assert metadata["license"]


def test_readme_explains_every_reward_of_a_vector(project):
    readme = (project.folder / "README.md").read_text()
    names = list(project.manifest.rewards)
    assert len(names) == 1 or [name for name in names if f"`{name}`" not in readme] == []
    assert len(readme) > 300


def test_every_reward_says_what_it_is_about(judging_project):
    assert [name for name, reward in judging_project.manifest.rewards.items() if len(reward.description) < 10] == []
    assert any(reward.role is RewardRole.SCORE for reward in judging_project.manifest.rewards.values())


def test_tasks_are_valid_unique_and_in_their_split(project):
    for split, where in project.manifest.tasks.items():
        if ":" not in where:
            rows = [Task.model_validate(row) for row in project.rows(where)]
            assert {row.split for row in rows} == {split}
    ids = Counter(task["id"] for task in project.tasks)
    assert [name for name, count in ids.items() if count > 1] == []


def test_no_test_prompt_is_trained_on(project):
    prompts: dict[bytes, set[str]] = {}
    for task in project.tasks:
        asked = (
            [task["prompt"], task.get("answer")] if project.manifest.session else task["prompt"]
        )  # games begin alike
        prompts.setdefault(canonical_json(asked), set()).add(task["split"])
    assert [prompt for prompt, splits in prompts.items() if len(splits) > 1] == []


def test_cases_fit_the_manifest_and_the_tasks(judging_project, tasks_by_id):
    tasks = tasks_by_id[judging_project.name] if judging_project.tasks else None
    own_tasks = {case.task_id: case.task for case in judging_project.cases if case.task is not None}
    assert case_problems(judging_project.cases, judging_project.manifest, tasks or own_tasks) == []


def test_audit_is_large_enough_on_both_sides(judging_project):
    labels = Counter(case.label for case in judging_project.cases)
    assert sum(labels.values()) >= FEWEST_CASES
    assert min(labels[Label.CORRECT], labels[Label.INCORRECT]) >= FEWEST_OF_A_LABEL


def test_no_case_is_there_twice(judging_project):
    seen = Counter(
        canonical_json([case.task_id, case.task, case.response, case.messages, case.state, case.files])
        for case in judging_project.cases
    )
    assert [case for case, count in seen.items() if count > 1] == []


def test_every_case_is_tagged(judging_project):
    assert [case.id for case in judging_project.cases if not case.tags] == []


def test_project_packs_into_a_wheel_that_a_hub_takes(project, packed):
    contents = packed.wheel(project.name).contents
    assert contents.manifest == project.manifest
    assert len(contents.cases()) == len(project.cases)
    assert contents.readme.startswith("#")


def test_what_a_package_names_of_the_collection_is_there_in_that_version(project, projects):
    versions = {
        other.manifest.id: tomllib.loads((other.folder / "pyproject.toml").read_text())["project"]["version"]
        for other in projects.values()
    }
    for key, reference in project.manifest.references:
        assert reference.choose([versions[reference.package]]) is not None, (key, str(reference))
