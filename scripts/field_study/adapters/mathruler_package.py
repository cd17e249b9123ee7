"""mathruler: the answer from its box, then prm800k's rules."""


def grade_answer(task, response):
    """``grade_answer(extract_boxed_content(response), answer)``, as its ``evaluate`` does."""
    from adapters.extract import without_dollars
    from mathruler.grader import extract_boxed_content
    from mathruler.grader import grade_answer as grade

    return grade(extract_boxed_content(response), without_dollars(task["answer"]))
