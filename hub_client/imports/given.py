"""What is wrong with what a stranger's importer gave: dataclasses do not look at their values."""

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, get_type_hints

import tomlkit
from pydantic import TypeAdapter, ValidationError

from hub_client.imports.draft import Draft, Item, Needs, Provenance


class NotGivenError(ValueError):
    """A value that is no list of items and no draft. The message says what it is instead, after "gave"."""


def items_of(given: Any) -> list[Item]:
    """The items. Raises :class:`NotGivenError`."""
    if not isinstance(given, Iterable):
        raise NotGivenError(f"{_kind(given)} for its items and not a list of Item")
    items = list(given)
    for item in items:
        _of_kind(item, Item, "an item")
        if not item.name:
            raise NotGivenError("an item without a name")
    return items


def draft_of(given: Any, source: str) -> Draft:
    """The draft of ``source`` (``NAME:ITEM``), whose texts, tasks and tables can be written.

    Raises :class:`NotGivenError`.
    """
    _of_kind(given, Draft, "a draft")
    _of_kind(given.provenance, Provenance, "a draft's provenance")
    _of_kind(given.needs, Needs, "a draft's needs")
    draft: Draft = given
    if draft.provenance.source != source:  # a project keeps it, and an update asks for it
        raise NotGivenError(f"a draft whose provenance has the source {draft.provenance.source!r} and not {source!r}")
    if draft.provenance.arguments:  # which no update could give it again: it takes no --arg
        raise NotGivenError("a draft with arguments in its provenance, where an installed importer takes none")
    try:
        rows = {split: list(tasks) for split, tasks in draft.splits.items()}
        written = json.dumps([rows, list(draft.cases)], ensure_ascii=False, allow_nan=False)
        for text in (written, draft.code, draft.summary, *draft.notes):
            text.encode()
        tomlkit.dumps({"tables": [draft.rewards, draft.model, draft.provenance.arguments]})
    except (TypeError, ValueError) as error:  # a set, not a number, half of a surrogate pair, None in a table
        raise NotGivenError(f"a draft that cannot be written to files: {error}") from None
    return draft


def _of_kind(value: object, kind: type[Any], what: str) -> None:
    """Refuse another kind of value, and one with a field of another type."""
    if not isinstance(value, kind):
        raise NotGivenError(f"{_kind(value)} for {what} and not {kind.__name__}")
    hints = get_type_hints(kind)
    for each in fields(kind):
        try:
            TypeAdapter(hints[each.name]).validate_python(getattr(value, each.name), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join([each.name, *(str(part) for part in first["loc"])])
            raise NotGivenError(f"{what} with a wrong {place}: {first['msg']}") from None


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"
