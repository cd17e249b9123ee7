"""Refusals on the wire: an old client survives a new code, and codes never change their spelling by accident."""

import re

from schemas.problem import Problem, ProblemCode, ProblemPart
from tests.making.wire import check_wire, refusal

PROBLEM = {
    "title": "Not found",
    "status": 404,
    "code": "package_not_found",
    "detail": "no al/a",
    "errors": [{"pointer": "/id", "message": "gone"}],
}


def test_each_travels() -> None:
    check_wire(ProblemPart, {"pointer": "/id", "message": "gone"})
    check_wire(Problem, PROBLEM)


def test_a_code_of_a_newer_hub_is_read() -> None:
    assert Problem.read(PROBLEM | {"code": "teapot", "brew": 1}).code == "teapot"


def test_codes_are_words_and_each_means_one_thing() -> None:
    values = [code.value for code in ProblemCode]
    assert len(values) == len(set(values))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", value) for value in values)


def test_the_codes_of_a_device_s_login_are_those_of_the_standard() -> None:
    """RFC 8628, section 3.5: other clients wait for these words."""
    assert {"authorization_pending", "slow_down", "access_denied", "expired_token"} <= {
        code.value for code in ProblemCode
    }


def test_a_problem_without_a_type_is_about_blank() -> None:
    """RFC 9457, section 3.1.1."""
    assert Problem.model_validate(PROBLEM).type == "about:blank"
    assert "status" in refusal(Problem, PROBLEM | {"status": "bad"})
