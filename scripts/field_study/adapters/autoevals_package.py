"""autoevals: the scorers that ask no model."""

import json


def exact_match(task, response):
    """``ExactMatch`` on texts."""
    from autoevals.value import ExactMatch

    return ExactMatch().eval(response, task["answer"]).score


def exact_match_json(task, response):
    """``ExactMatch`` on records: the expected one as an object, the output as text."""
    from autoevals.value import ExactMatch

    return ExactMatch().eval(response, task["info"]["record"]).score


def levenshtein(task, response):
    """``Levenshtein``: 1 minus the share of edits."""
    from autoevals.string import Levenshtein

    return Levenshtein().eval(response, task["answer"]).score


def json_diff(task, response):
    """``JSONDiff`` on the text of the record."""
    from autoevals.json import JSONDiff

    return JSONDiff().eval(response, json.dumps(task["info"]["record"])).score


def valid_json(task, response):
    """``ValidJSON`` with a schema that allows the record only."""
    from autoevals.json import ValidJSON

    return ValidJSON(schema={"const": task["info"]["record"]}).eval(response).score
