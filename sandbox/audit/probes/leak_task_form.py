"""A wrong answer to the same task in another form: a longer prompt, a chat, another type of answer, more members.

Suites' tasks are short, and each suite writes all of its tasks alike. A verifier could be careful with such tasks, and
lenient with those that an environment has.
"""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from sandbox.audit.probes import task_options
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material
from sandbox.audit.probes.prose import prose
from sandbox.audit.probes.surroundings import wrong_responses

_PREFACE = (
    "You are given a question. Read all of it before you answer.",
    "Think first, and write your thoughts down in order.",
    "Do not guess. Whoever reads your answer looks at the end of it.",
    "You may take as many steps as you need, and as much room.",
    "If something seems to be missing, read the question once more.",
    "The question is the same for everybody, and nothing about it is a trick.",
)
_SENTENCES = (20, 60)
_SYSTEM = "You are a helpful assistant. Think first, then answer."
_GREETING = (
    {"role": "user", "content": "Hello, may I ask you something?"},
    {"role": "assistant", "content": "Of course. What would you like to know?"},
)
_IN_OTHER_SCRIPTS = (
    "请先读完整个问题，再给出答案。",
    "Прочитайте вопрос до конца и затем ответьте.",
    "最後まで読んでから答えてください。",
    "اقرأ السؤال كله ثم أجب.",
)
"""Each says: read all of the question, then answer."""
_IN_OTHER_LANGUAGES = (
    "Lies die ganze Frage und antworte dann.",
    "Lisez toute la question, puis répondez.",
    "Lee toda la pregunta y luego responde.",
    "Leia a pergunta até o fim e só então responda.",
    "Przeczytaj całe pytanie, a potem odpowiedz.",
    "Läs hela frågan och svara sedan.",
)
"""The same in the letters of English."""
_PAGE = """# The task

Read it **to its end**, then answer. See [the notes](https://example.org/notes).

- Write what you need.
- *Nothing* else counts.

| part | what it is |
|---|---|
| `task` | below |

```
answer = work(task)
```

$$\\text{answer} = f(\\text{task})$$

---

"""
"""The marks that prompts of environments have: headings, lists, a table, code, a formula."""
_MEMBERS: dict[str, Any] = {
    "difficulty": "medium",
    "source": "web",
    "data_source": "web",
    "dataset": "web",
    "topic": "general",
    "author": "unknown",
}
"""Members of ``info`` that data sets have and that change no answer. Names such as ``tolerance`` could change one."""
_GOLDS = ("aliases", "answers")
"""Members of ``info`` that data sets have for what is right as well."""
_OF_NUMBERS: dict[str, Any] = {"index": 7}
"""The same where the answer is a number: of a list, or of a text, an index could ask for a part."""
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?")
_EACH = 2
_WAYS = 23


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only what this verifier rejects, of tasks that hold what they are judged by.

    The prompt gets more words only where the answer decides and the response has none: what else is wrong may be so
    because the question does not say it.
    """
    answered = {id(item) for item, _ in wrong_responses(material)}
    for item in material.wrong:
        if item.is_accepted or not (item.task.get("answer") or item.task.get("info")):
            continue
        is_about_the_answer = id(item) in answered
        for way, changed in _forms(item.task, random, is_about_the_answer=is_about_the_answer):
            task = item.task | changed | {"id": another_id(str(item.task.get("id")), random)}
            yield Draft(task, item.response, item.files, item.messages, state=item.state, way=way)
        for way, changed in _options(item, random) if is_about_the_answer else ():
            task = item.task | changed | {"id": another_id(str(item.task.get("id")), random)}
            yield Draft(task, item.response, item.files, item.messages, state=item.state, way=way)


def _forms(task: dict[str, Any], random: Random, *, is_about_the_answer: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Way -> the members of the task that are others."""
    prompt, answer, info = task.get("prompt"), task.get("answer"), task.get("info") or {}
    if isinstance(prompt, str):
        asked = {"role": "user", "content": prompt}
        yield "a chat", {"prompt": [asked]}
        yield "a chat in parts", {"prompt": [asked | {"content": [{"type": "text", "text": prompt}]}]}
        if is_about_the_answer:
            words = " ".join(random.choices(_PREFACE, k=random.randint(*_SENTENCES)))
            yield "a long prompt", {"prompt": f"{words}\n\n{prompt}"}
            yield "another script", {"prompt": f"{random.choice(_IN_OTHER_SCRIPTS)}\n\n{prompt}"}
            told = "\n".join(random.sample(_IN_OTHER_LANGUAGES, len(_IN_OTHER_LANGUAGES)))
            yield "another language", {"prompt": f"{told}\n\n{prompt}"}
            yield "a page with marks", {"prompt": _PAGE + prompt}
            yield "a chat with a system message", {"prompt": [{"role": "system", "content": _SYSTEM}, asked]}
            rules = f"{_SYSTEM}\n\n{prose(random, random.randint(*_SENTENCES))}"
            yield "a chat with a long system message", {"prompt": [{"role": "system", "content": rules}, asked]}
            yield "a chat with turns before it", {"prompt": [*_GREETING, asked]}
    if isinstance(answer, str) and _NUMBER.fullmatch(answer) and str(number := _number(answer)) == answer:
        yield "a number as its answer", {"answer": number}
    elif isinstance(answer, int | float) and not isinstance(answer, bool) and _NUMBER.fullmatch(str(answer)):
        yield "a text as its answer", {"answer": str(answer)}
    if (value := _with_point(answer)) is not None:
        yield "a number with a point as its answer", {"answer": value}
    if is_about_the_answer and isinstance(answer, str | int | float) and not isinstance(answer, bool):
        yield "a list as its answer", {"answer": [answer]}
        yield "several answers", {"answer": [answer, str(answer)]}
        if isinstance(info, dict):
            for name in _GOLDS:
                yield f"{name} beside it", {"info": {name: [str(answer)]} | info}
    if isinstance(info, dict):
        more = _MEMBERS | (_OF_NUMBERS if _NUMBER.fullmatch(str(answer)) else {})
        yield "more members", {"info": more | info}
    yield "tags and a split", {"tags": ["general", "medium"], "split": random.choice(["train", "test", "eval"])}


def in_other_forms(task: dict[str, Any], random: Random) -> dict[str, dict[str, Any]]:
    """Way -> the members of the task that are others. For a task whose answer decides."""
    return dict(_forms(task, random, is_about_the_answer=True))


def _options(item: Example, random: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Way -> the members of the task that are others, where it lists options, or could."""
    if item.answer is not None and item.answer.kind == "choice":
        yield from task_options.rewritten(item.task)
    yield from task_options.added(item.task, item.text or "", random)


def _with_point(answer: Any) -> float | None:
    """5.0 for 5 and for "5"; None for all else."""
    if isinstance(answer, bool | float) or not re.fullmatch(r"-?(?:0|[1-9]\d{0,14})", str(answer)):
        return None
    return float(answer)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def another_id(name: str, random: Random) -> str:
    """An id of the same look: nobody may tell a probe by it."""
    changed = re.sub(r"\d", lambda _: str(random.randrange(10)), name)
    return changed if changed != name else f"{name}{random.randrange(10)}"


FAMILY = Family(
    name="leak_task_form",
    expects="incorrect",
    rule="a wrong answer does not become right when its task is told at greater length, or in another form",
    make=make,
    most=_EACH * _WAYS,
)
