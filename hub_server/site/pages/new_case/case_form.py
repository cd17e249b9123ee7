"""What was typed into the form of a counter-example, and the case that it makes."""

import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.site.sections.forms import TypedText, wrong_fields
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.strict_json import parse_json

REACHES, BELOW = "reaches", "below"
"""What may be said of a single reward."""


class CaseForm(BaseModel):
    """The form's fields as they were sent.

    A task is one of the release's (``task_id``), or one of the person's own: ``prompt``, ``answer`` and ``details``.
    """

    model_config = ConfigDict(frozen=True)

    split: str = ""
    find: str = ""
    """Which tasks are offered: those of ``split`` with this text."""
    task_id: str = ""
    prompt: TypedText = ""
    answer: TypedText = ""
    answer_is: str = ""
    """``json`` where the answer is a number, list or object; otherwise it is text."""
    details: TypedText = ""
    """Whatever else the verifier reads of a task, as JSON."""
    task: str = ""
    """A whole task as JSON, from a link or another page; :meth:`unpacked` puts it into the fields."""
    response: TypedText = ""
    label: str = ""
    reward: list[str] = []
    must: list[str] = []
    """What each of ``reward`` must be: ``reaches`` its threshold, ``below`` it, or nothing is said."""
    note: TypedText = ""
    source: str = ""
    """Where it comes from, where that is a run's rollout."""

    @property
    def has_own_task(self) -> bool:
        """Whether a task was typed."""
        return bool(self.prompt.strip() or self.details.strip())

    @property
    def musts(self) -> dict[str, str]:
        """Reward -> what was said of it."""
        return dict(zip(self.reward, self.must, strict=False))

    def unpacked(self) -> Self:
        """The same form with a whole task in the fields for its parts; what is no task stays as it was typed."""
        if not self.task.strip():
            return self
        try:
            task = parse_json(self.task)
        except ValueError:
            task = None
        if not isinstance(task, dict):
            return self.model_copy(update={"task": "", "details": self.task})
        prompt, answer = task.get("prompt"), task.get("answer")
        parts = {"prompt": prompt} if isinstance(prompt, str) else {}
        parts |= {"answer": answer if isinstance(answer, str) else _json(answer)} if answer is not None else {}
        rest = {name: value for name, value in task.items() if name not in parts and value is not None}
        kind = "text" if isinstance(answer, str) else "json"
        details = _json(rest) if rest else ""
        return self.model_copy(update={"task": "", "task_id": "", **parts, "answer_is": kind, "details": details})


def case_of(form: CaseForm, declared: Mapping[str, RewardDeclaration], *, is_draft: bool = False) -> AuditCase:
    """The case that was typed; a draft may leave its label out.

    Raises ``InvalidRequestError`` with the fields that cannot be used.
    """
    errors: dict[str, str] = {}
    task = own_task(form, errors)
    if not form.response.strip():
        errors["response"] = "Give the response that the verdict is about."
    if form.label not in set(Label) and not (is_draft and not form.label):
        errors["label"] = "Say whether this response must be accepted or rejected."
    expect = _expected(form, declared)
    if errors:
        raise wrong_fields(errors)
    try:
        return AuditCase(
            id="submitted",
            task_id=form.task_id.strip() or None,
            task=task,
            response=form.response,
            label=Label(form.label or Label.INCORRECT),
            expect=expect or None,
            origin=Origin.COMMUNITY,
            note=form.note.strip(),
            source=form.source.strip()[:200],
            tags=["rollout"] if form.source.startswith("run ") else [],
        )
    except ValidationError as error:
        raise wrong_fields({"prompt": str(error.errors()[0]["msg"]).removeprefix("Value error, ")}) from None


def own_task(form: CaseForm, errors: dict[str, str]) -> dict[str, Any] | None:
    """The task that was typed, None where one of the release is meant; faults go to ``errors`` by field."""
    if not form.has_own_task:
        if not form.task_id.strip():
            errors["task_id"] = "Choose a task of this release, or type one of your own."
        return None
    if form.task_id.strip():
        errors["task_id"] = "You chose a task of the release and typed one of your own: empty one of the two."
        return None
    details = _parsed(form.details, "details", errors) if form.details.strip() else {}
    if not isinstance(details, dict):
        errors.setdefault("details", 'These must be an object, such as {"unit": "cm"}.')
        return None
    task = {"id": "submitted", **details}
    if form.prompt.strip():
        task["prompt"] = form.prompt
    if form.answer.strip():
        task["answer"] = _parsed(form.answer, "answer", errors) if form.answer_is == "json" else form.answer
    if "prompt" not in task:
        errors["prompt"] = "Say what the task asks."
    return task


def _parsed(text: str, field: str, errors: dict[str, str]) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        errors[field] = f"This is not JSON: {error}."
        return None


def _expected(form: CaseForm, declared: Mapping[str, RewardDeclaration]) -> dict[str, float]:
    """Single rewards on the side of the threshold that was chosen; what the release does not declare is left out."""
    values = {}
    for name, must in form.musts.items():
        if name in declared and must == REACHES:
            values[name] = declared[name].threshold
        elif name in declared and must == BELOW and can_fail(declared[name]):
            values[name] = declared[name].range[0]
    return values


def can_fail(reward: RewardDeclaration) -> bool:
    """Whether a value within the range lies below the threshold."""
    return reward.range[0] < reward.threshold


def judged_rewards(declared: Mapping[str, RewardDeclaration]) -> dict[str, RewardDeclaration]:
    """The rewards of which a case may say something: metrics have no threshold."""
    return {name: one for name, one in declared.items() if one.role is not RewardRole.METRIC}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
