"""A response of thousands of like signs is judged in time: what is not judged in five seconds gets no reward at all, and
so could be had on demand.
"""

import time

import pytest

REPEATED = (
    *("; ", " , ", ",", " ", "\n", "\\ ", "\\,", "\\text{", "{", "(", "$", "**", "-", "=", "1, ", "1 or ", "a and ", "not ", "as x "),
    *("x→", "is ", "No. ", "Answer: ", "\\boxed{1} ", "1:2:", "1,000,", "for any ", "1<x<", "…", "&1", "one "),
)  # fmt: skip
LETTERS = 16_000
LIMIT_SECONDS = 2.0  # of CPU: 0.1 is usual, and `; ` took 3.0 and more for a longer one


@pytest.mark.parametrize("repeated", REPEATED)
def test_no_repetition_takes_long(package_of, repeated: str) -> None:
    verify = package_of("math-answer").verify
    started = time.thread_time()
    verify({"id": "t", "prompt": "?", "answer": "x = 4"}, repeated * (LETTERS // len(repeated)) + "4")
    assert time.thread_time() - started < LIMIT_SECONDS
