import inspect

import pytest

from hub_client import errors
from hub_client.errors import REFUSALS, HubClientError, RequestRefusedError, refusal_of
from schemas.problem import Problem, ProblemCode, ProblemPart

CLASSES = [item for _, item in inspect.getmembers(errors, inspect.isclass) if issubclass(item, HubClientError)]


def test_every_code_of_the_hub_has_its_class() -> None:
    assert REFUSALS.keys() == set(ProblemCode)


def test_the_docstring_is_the_tree() -> None:
    assert [item.__name__ for item in CLASSES if item.__name__ not in (errors.__doc__ or "")] == []


@pytest.mark.parametrize("code", list(ProblemCode))
def test_a_refusal_becomes_its_class_and_keeps_the_problem(code) -> None:
    problem = Problem(title="No", status=400, code=code, detail="what happened", errors=[ProblemPart(message="part")])
    error = refusal_of(problem)
    assert type(error) is REFUSALS[code]
    assert error.parts[0].message == "part"
    assert "what happened" in str(error)
    assert "part" in str(error)


def test_a_code_from_the_future_is_a_plain_refusal() -> None:
    error = refusal_of(Problem(title="Refused for a new reason", status=418, code="teapot"))
    assert type(error) is RequestRefusedError
    assert error.exit_code == 1


def test_exit_codes_are_those_that_are_documented() -> None:
    assert {item.__name__: item.exit_code for item in CLASSES} == {
        "HubClientError": 1,
        "RequestRefusedError": 1,
        "SessionLostError": 1,
        "UsageError": 2,
        "NotLoggedInError": 3,
        "LoginPendingError": 3,
        "NotFoundError": 4,
        "ConflictError": 5,
        "CheckFailedError": 6,
        "AuditLimitError": 6,
        "IntegrityError": 7,
        "HubUnreachableError": 8,
        "EndpointRefusedError": 8,
        "SandboxMissingError": 8,
        "PolicyError": 9,
        "CodeNeededError": 9,
    }
