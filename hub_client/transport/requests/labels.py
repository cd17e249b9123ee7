"""Questions that people are asked about responses, and their answers."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall
from schemas.evidence.labels import LabelQuestion, LabelRequest, NextQuestion


def next_question(package_id: str | None = None) -> ApiCall[NextQuestion]:
    """The question that an answer would help most, of those that one has not answered."""
    return ApiCall.get("/label/next", NextQuestion.read, package=package_id)


def get_question(question_id: str) -> ApiCall[LabelQuestion]:
    """One question."""
    return ApiCall.get(_path(question_id), LabelQuestion.read)


def get_question_of_rollout(run_id: str, number: int) -> ApiCall[LabelQuestion]:
    """The question about a rollout's response. Where nobody is asked, the refusal says why."""
    return ApiCall.get(f"/runs/{quote(run_id, safe='')}/rollouts/{number}/question", LabelQuestion.read)


def answer_question(question_id: str, answer: LabelRequest) -> ApiCall[LabelQuestion]:
    """Answer it. Where people now agree, it comes back settled, with its case."""
    return ApiCall.send("POST", f"{_path(question_id)}/labels", LabelQuestion.read, answer)


def _path(question_id: str) -> str:
    return f"/label/questions/{quote(question_id, safe='')}"
