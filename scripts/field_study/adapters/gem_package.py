"""gem-llm: the rewards of its mathematics and question environments."""


def boxed_reward_fn(task, response):
    """``boxed_reward_fn``, as ``MathEnv`` calls it."""
    from adapters.extract import without_dollars
    from adapters.framework_files import part

    grader = part("gem.utils.math_grader", "gem", "gem.utils")
    return grader.boxed_reward_fn(response, without_dollars(str(task["answer"])))[1]


def qa_boxed(task, response):
    """``extract_last_boxed_answer``, then ``em_check``, as ``QaEnv`` with ``extract_boxed``."""
    return _qa("extract_last_boxed_answer", task, response)


def qa_tagged(task, response):
    """``extract_last_tagged_answer``, then ``em_check``, as ``QaEnv`` without."""
    return _qa("extract_last_tagged_answer", task, response)


def _qa(extractor, task, response):
    from adapters.framework_files import part

    found = getattr(part("gem.utils.parsing", "gem", "gem.utils"), extractor)(response)
    return 0.0 if found is None else part("gem.utils.qa_em").em_check(found, [str(task["answer"])])
