"""The endpoint answers for each entry by its name: baselines by their rule, the language model by asking it."""

import json
import urllib.request
from typing import Any

import pytest

from scripts.bench_models.entries import ENTRIES, Entry, endpoint
from tests.hub_client.commands.model_server import Model, saying

BASELINES = {entry.name: entry for entry in ENTRIES if entry.answer is not None}
MODEL = next(entry for entry in ENTRIES if entry.answer is None)


def said(url: str, entry: Entry, question: str) -> str:
    body: dict[str, Any] = {"model": entry.name, "messages": [{"role": "user", "content": question}]}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(json.load(answer)["choices"][0]["message"]["content"])


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_says_the_same_again(name: str) -> None:
    with endpoint() as url:
        first, second = (said(url, BASELINES[name], "How many?") for _ in range(2))
        other = said(url, BASELINES[name], "How much?")
    assert first == second
    assert (first == other) is ("same answer" in name)


def test_a_language_model_is_asked_under_its_servers_name_and_answers_under_the_entrys() -> None:
    model = Model()
    model.answer = lambda _body: saying("forty-two")
    try:
        with endpoint(f"{model.url}#smollm2") as url:
            assert said(url, MODEL, "How many?") == "forty-two"
    finally:
        model.close()
    assert [body["model"] for body in model.asked] == ["smollm2"]


def test_names_and_folders_are_unique() -> None:
    assert len({entry.name for entry in ENTRIES}) == len({entry.slug for entry in ENTRIES}) == len(ENTRIES)
