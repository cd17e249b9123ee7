"""Checks the final answer of a mathematics response against a reference answer, whatever form either has."""

from lecture_math_answer.judge import judge


def verify(task: dict, response: str) -> dict[str, float]:
    """``correct`` is 1.0 where the response's final answer is the task's ``answer``, else 0.0.

    Both may be anything from a bare number to a whole solution, in LaTeX, Markdown or plain text. Nothing in either
    is run as code. ``task["prompt"]``, where there is one, serves only to refuse an answer that repeats the exercise.
    ``task["info"]["strict"] = false`` lets symbols have any names (x + 1 for y + 1).
    """
    answer = task.get("answer")
    if answer is None or not str(answer).strip():
        raise ValueError("the task has no answer to compare with: math-answer needs task['answer']")
    info = task.get("info") or {}
    strict = {**info, **(info.get("options") or {})}.get("strict", True)
    same = judge(str(answer), response, prompt=_text_of(task.get("prompt")), any_names=strict is False)
    return {"correct": 1.0 if same else 0.0}


def _text_of(prompt: object) -> str:
    """A prompt as text: itself, or what its messages say."""
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list):
        return "\n".join(str(message.get("content", "")) for message in prompt if isinstance(message, dict))
    return ""
