"""What is written reads as what was meant, and stands where the other stood."""

import pytest

from sandbox.audit.probes.expression_text import find, latex, plain
from sandbox.audit.probes.expressions import read, same


@pytest.mark.parametrize(
    "text",
    [r"\frac{x + 1}{2} - \frac{1}{x}", "-(x+1)/2", "-(-x)", "(x+1)^{2x}", "2^{-3}", r"\sqrt{x^2+1}", "(a/b)*c", "(-1)^x",
     "a - (b - c)", "a/(b/c)", r"\sin(x)^2", "(2^3)^x"],
)  # fmt: skip
@pytest.mark.parametrize("write", [latex, plain])
def test_what_is_written_has_the_same_value(text, write):
    assert same(read(text), read(write(read(text))))


def test_plain_text_has_no_command_and_latex_no_bare_function():
    assert (plain(read(r"\frac{\pi}{2}")), plain(read(r"\sqrt{2}"))) == ("pi/2", "sqrt(2)")
    assert (latex(read("pi/2")), latex(read("exp(x)"))) == (r"\frac{\pi}{2}", r"\exp(x)")


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (r"So \boxed{3}. No: $\boxed{\frac{2}{5}\pi}$.", r"So \boxed{3}. No: $\boxed{1 + x}$."),
        ("$x^2$", "$1 + x$"),
        (r"\(2x\)", r"\(1 + x\)"),
        ("2x.", "1 + x."),
        (" pi/2 ", " 1 + x "),
    ],
)
def test_another_expression_stands_where_the_first_stood(response, said):
    assert find(response).saying(read("1+x")) == said


@pytest.mark.parametrize(
    "response",
    ["The answer is 5", r"\boxed{5", r"\boxed{\text{five}}", r"\boxed{5} " + "and so on " * 9, "", "$", "x" * 99_999],
)
def test_a_response_of_other_words_states_none(response):
    assert find(response) is None
