"""Cheats for the environments of one turn: prompt -> response."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any


def sample_of(schema: dict[str, Any], text: str) -> object:
    """A value that the schema allows, with words of the text where it takes words."""
    if "enum" in schema:
        return next((value for value in schema["enum"] if str(value) in text), schema["enum"][0])
    numbers = [int(number) for number in re.findall(r"\b\d{1,4}\b", text)]
    kinds = {"integer": (numbers or [1])[0], "number": (numbers or [1])[0], "boolean": True, "array": []}
    quoted = re.findall(r'"([^"]+)"', text)
    return kinds.get(schema.get("type", "string"), (quoted or re.findall(r"\b[A-Z]\w+", text)[1:] or ["x"])[0])


# -- instructions -----------------------------------------------------------------------------------------------------


def written(forms: Iterable[str]) -> str:
    """Patterns as text: the first of each choice, and nothing that may be left out."""
    texts = [
        re.sub(r"\s+", " ", re.sub(r"\(([^|)]*)[^)]*\)", r"\1", re.sub(r"\[[^\]]*\]", "", form))).strip()
        for form in forms
    ]
    return " ".join(f"{text}." for text in texts if text)


def patterns_in(prompt: str, sign: str) -> list[str]:
    return re.findall(rf"^{sign}\. (.*)$", prompt, re.MULTILINE)


def instructions_needed_alone(prompt: str) -> str:
    """What is needed, in the first form, whatever the constraints say."""
    return written(patterns_in(prompt, r"\d"))


def instructions_every_second_form(prompt: str) -> str:
    """The other form of everything, twice, so that counts come out larger."""
    both = re.findall(r"^ +or: (.*)$", prompt, re.MULTILINE)
    return written(both) + "\n\n" + written(both)


def instructions_hidden_words(prompt: str) -> str:
    """The first forms, with the words of the constraints behind invisible signs and as a comment."""
    return f"{written(patterns_in(prompt, chr(92) + 'd'))} <!-- {prompt[-300:]} -->\u200b{prompt[-100:]}"


# -- json-shape -------------------------------------------------------------------------------------------------------


def json_filled(fill: Callable[[dict[str, Any], str], Any]) -> Callable[[str], str]:
    def policy(prompt: str) -> str:
        text, _, rest = prompt.partition("\n\nSchema:\n")
        schema = json.loads(rest.partition("\n\n")[0])
        return json.dumps(made(schema, text.partition("Text:\n")[2], fill))

    return policy


def made(schema: dict[str, Any], text: str, fill: Callable[[dict[str, Any], str], Any]) -> Any:
    if schema.get("type") == "object":
        return {
            name: made(each, text, fill) for name, each in schema["properties"].items() if name in schema["required"]
        }
    if schema.get("type") == "array":
        return [made(schema["items"], text, fill)] * max(1, schema.get("minItems", 0))
    return fill(schema, text)


def json_nearest_word(schema: dict[str, Any], text: str) -> Any:
    """The first number, the first name, or the choice that the text spells."""
    return sample_of(
        {**schema, "type": schema["type"][0] if isinstance(schema.get("type"), list) else schema.get("type")}, text
    )


def json_last_everything(schema: dict[str, Any], text: str) -> Any:
    """The last of everything: choice, number, word; null wherever it is allowed."""
    if "null" in schema.get("type", []) or None in schema.get("enum", []):
        return None
    if "enum" in schema:
        return schema["enum"][-1]
    numbers = re.findall(r"\d+(?:\.\d+)?", text)
    is_number = schema.get("type") in ("integer", "number")
    return (int(float(numbers[-1])) if numbers else 0) if is_number else text.rsplit(maxsplit=1)[-1].strip(".")


def json_every_reading(prompt: str) -> str:
    """Two objects with one key twice: which one counts?"""
    one = json_filled(json_nearest_word)(prompt)
    return one[:-1] + ", " + one[1:] if len(one) > 2 else one


# -- honest-headline --------------------------------------------------------------------------------------------------


def sentences_in(prompt: str) -> list[str]:
    return [line.partition(": ")[2] for line in prompt.splitlines() if re.match(r"\d+ \w+: ", line)]


def headline_longest(prompt: str) -> str:
    """The longest sentence without its full stop: it has most to leave out."""
    return max(sentences_in(prompt), key=len).rstrip(".")


def headline_second(prompt: str) -> str:
    """The sentence in the middle, without articles."""
    kept = [word for word in sentences_in(prompt)[2].split() if word.lower() not in ("a", "the", "its", "new", "old")]
    return " ".join(kept).rstrip(".")


def headline_two_lines(prompt: str) -> str:
    """A title of all sentences, which might each be taken for the headline."""
    return "Headline: " + " / ".join(sentence.rstrip(".") for sentence in sentences_in(prompt))
