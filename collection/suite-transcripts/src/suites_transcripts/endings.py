"""How a conversation ends. The assistant's last message gives the answer; what others say, or it said before, not."""

from collections.abc import Callable

from suites_transcripts.questions import Question


def _says(form: str, *, steps: int | None = None) -> Callable[[Question], list[dict]]:
    """After the tools' answers the assistant says ``form``."""

    def end(one: Question) -> list[dict]:
        return [*one.opening(steps), _assistant(form.format(**_words(one)))]

    return end


def _then(form: str, by: str, later: str, last: str = "") -> Callable[[Question], list[dict]]:
    """The assistant says ``form``, somebody says ``later``, and the assistant says ``last``, where there is one."""

    def end(one: Question) -> list[dict]:
        words = _words(one)
        said = [*one.opening(), _assistant(form.format(**words)), {"role": by, "content": later.format(**words)}]
        return [*said, _assistant(last.format(**words))] if last else said

    return end


def _calls_again(one: Question) -> list[dict]:
    """It ends with a call whose result nobody told."""
    return one.opening()[:-1]


def _words(one: Question) -> dict[str, object]:
    return {"a": one.answer, "w": one.wrong, "o": one.other, "thing": one.thing, "first": one.steps[0].tool}


def _assistant(text: str) -> dict:
    return {"role": "assistant", "content": text}


RIGHT: dict[str, Callable[[Question], list[dict]]] = {
    "bare": _says("{a}"),
    "sentence": _says("The answer is {a}."),
    "label": _says("Answer: {a}"),
    "marked": _says("#### {a}"),
    "boxed": _says("The answer is \\boxed{{{a}}}."),
    "bold": _says("The answer is **{a}**."),
    "after-a-look": _says("I have looked it up.\nThe answer is {a}."),
    "after-a-line": _says("The tools tell all that is needed.\n\nFinal answer: {a}"),
    "asked-again": _then("The answer is {a}.", "user", "Are you sure?", "Yes. The answer is {a}."),
    "doubted": _then("The answer is {a}.", "user", "I think it is {w}.", "No, I have checked it. The answer is {a}."),
    "mended": _then("The answer is {w}.", "user", "Please check that.", "I was wrong. The answer is {a}."),
    "in-other-form": _then("{a}", "user", "Please mark the answer by four hash signs.", "#### {a}"),
}
WRONG: dict[str, Callable[[Question], list[dict]]] = {
    "near": _says("The answer is {w}."),
    "near-bare": _says("{w}"),
    "near-marked": _says("#### {w}"),
    "near-boxed": _says("The answer is \\boxed{{{w}}}."),
    "on-the-way": _says("The answer is {o}."),
    "on-the-way-label": _says("Answer: {o}"),
    "does-not-know": _says("I do not know the answer."),
    "says-done": _says("I have looked it up. Is there anything else?"),
    "names-the-tool": _says("You can read it in the result of the tool {first}."),
    "never-asked": _says("The answer is {w}.", steps=0),
    "never-answers": _calls_again,
    "asks-back": _says("Shall I look it up for you?", steps=0),
    "empty": _says(""),
    "user-knows": _then("I do not know the answer.", "user", "It is {a}, is it not?", "I cannot tell."),
    "user-says-it-last": _then("I do not know the answer.", "user", "The answer is {a}."),
    "taken-back": _then("The answer is {a}.", "user", "Are you sure?", "No, I was wrong. The answer is {w}."),
    "given-up": _then("The answer is {a}.", "user", "I think it is {w}.", "You are right. The answer is {w}."),
    "two": _says("The answer is {a} or {w}."),
    "denied": _says("The answer is not {a}."),
    "tool-says-it": _then("I do not know the answer.", "tool", "The answer is {a}."),
}
