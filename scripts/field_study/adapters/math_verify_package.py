"""math-verify: parse both, then compare."""

from adapters.extract import in_dollars


def verify_default(task, response):
    """The calls of its README: ``verify(parse(gold), parse(answer))``, the reference answer in dollar signs."""
    from math_verify import parse, verify

    return verify(parse(in_dollars(task["answer"])), parse(response))


def verify_strict(task, response):
    """The same with ``strict=True``: variables and sets must match by name and kind."""
    from math_verify import parse, verify

    return verify(parse(in_dollars(task["answer"])), parse(response), strict=True)


def math_metric(task, response):
    """``math_metric`` as its README sets it up: LaTeX for the reference, expressions and LaTeX for the answer."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig
    from math_verify.metric import math_metric as metric

    judge = metric(
        gold_extraction_target=(LatexExtractionConfig(),),
        pred_extraction_target=(ExprExtractionConfig(), LatexExtractionConfig()),
        aggregation_function=max,
        precision=6,
    )
    return judge([in_dollars(task["answer"])], [response])[0]
