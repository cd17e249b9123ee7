"""Which cases are similar: the same task, the same form of response, or the same cluster named by their author.

A verifier tends to get similar cases right or wrong together, so they are not independent evidence.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.evidence.cases import AuditCase
from schemas.measures.clusters import Groups
from schemas.names import digest_of
from schemas.task import canonical_json

SHORT = 2
"""Responses of at most this many words are bare values. Two of them are similar only if answer and value are equal."""
SIMILARITY = 0.8
"""Share of common shingles from which on two responses count as the same form."""
_SHINGLE = 3  # words; chosen, not measured
_INDEXED = 6  # smallest hashes by which similar texts are found: not all pairs are compared
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"[^\W_]+|[@#]|[^\w\s]")


def groups_of(cases: Sequence[tuple[AuditCase, Mapping[str, Any] | None]]) -> list[Groups]:
    """For every (case, its task): the names of its task, its form and its cluster, as ``measures.clusters.WAYS``."""
    forms = _forms([_skeleton(case, task or {}) for case, task in cases])
    return [
        (_task_key(task) if task is not None else None, form, case.cluster or None)
        for (case, task), form in zip(cases, forms, strict=True)
    ]


def content_key(case: AuditCase, task: Mapping[str, Any] | None, *, must_accept: bool) -> str:
    """Cases with the same task (whatever its id), response and label have the same key. Only one of them counts."""
    parts = [case.response, case.messages, case.state, case.files, case.expect, must_accept]
    return digest_of(canonical_json([_content(task or {"id": case.task_id}), *parts]))


def _content(task: Mapping[str, Any]) -> dict[str, Any]:
    content = {name: value for name, value in task.items() if name != "id" and value not in (None, {}, [])}
    return content or dict(task)


def _task_key(task: Mapping[str, Any]) -> str:
    return digest_of(canonical_json(_content(task)))


def _skeleton(case: AuditCase, task: Mapping[str, Any]) -> list[str]:
    """The words of a response, with the task's answer as ``@`` and other numbers as ``#``.

    A bare value stays as it is.
    """
    if case.response is None and case.messages is None and case.files is None:
        return ["state", digest_of(canonical_json(case.state))]  # A bare value has no form without its values.
    text = _text_of(case).lower()
    answer = task.get("answer")
    known = str(answer).strip().lower() if isinstance(answer, str | int | float) else ""
    if len(_WORD.findall(text)) <= SHORT or (known and text.strip() == known):
        return ["value", known, text.strip()]
    if known and known in text:  # else a pattern would be compiled for each answer that nobody gives
        text = re.sub(rf"(?<!\w){re.escape(known)}(?!\w)", " @ ", text)
    return _WORD.findall(_NUMBER.sub(" # ", text))


def _text_of(case: AuditCase) -> str:
    if case.response is not None:
        return case.response
    if case.messages is not None:
        said = [str(message.get("content", "")) for message in case.messages if message.get("role") == "assistant"]
        return "\n".join(said)
    return "\n".join(text for _, text in sorted((case.files or {}).items()))


def _forms(skeletons: Sequence[list[str]]) -> list[str]:
    """A name for each skeleton's form. Skeletons that share ``SIMILARITY`` of their shingles have the same name."""
    keys = [digest_of("\x00".join(words).encode()) for words in skeletons]
    shingles = {key: _shingles(words) for key, words in zip(keys, skeletons, strict=True)}
    index: dict[int, list[str]] = defaultdict(list)
    parent = {key: key for key in shingles}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for key, own in shingles.items():
        smallest = sorted(own)[:_INDEXED]
        for other in sorted({other for number in smallest for other in index[number]}):
            if root(other) != root(key) and _similarity(own, shingles[other]) >= SIMILARITY:
                parent[root(key)] = root(other)
        for number in smallest:
            index[number].append(key)
    return [root(key) for key in keys]


def _shingles(words: Sequence[str]) -> frozenset[int]:
    """Hashes of runs of three words. Short texts have none, because one word may reverse their meaning."""
    if len(words) < 4 * _SHINGLE or words[:1] == ["value"]:
        return frozenset()
    runs = zip(*(words[start:] for start in range(_SHINGLE)), strict=False)
    return frozenset(zlib.crc32("\x00".join(run).encode()) for run in runs)


def _similarity(first: frozenset[int], second: frozenset[int]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0
